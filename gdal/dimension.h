// A dimension, whose meaning is derived from the attributes of its coordinate variable.
#ifndef CFA_GDAL_DIMENSION_H
#define CFA_GDAL_DIMENSION_H

#include <memory>
#include <string>

#include "file.h"

namespace cfa_gdal
{

// What a coordinate variable describes, in GDAL's words; "" if that is unknown.
struct Axis
{
    std::string type{};
    std::string direction{};
};

// Derives the axis from the attributes axis, standard_name, long_name, units and positive, as CF defines them and as the
// netCDF driver interprets them.
Axis AxisOf(const cfa_variable *coordinate);

class Dimension final : public GDALDimension
{
  public:
    static std::shared_ptr<Dimension> Create(const std::shared_ptr<File> &file, const cfa_dimension *dimension);

    // Works even if the coordinate variable is itself aggregated.
    std::shared_ptr<GDALMDArray> GetIndexingVariable() const override;

    Dimension(const std::shared_ptr<File> &file, const cfa_dimension *dimension, const cfa_variable *coordinate,
              const Axis &axis);

  private:
    std::shared_ptr<File> m_file;
    const cfa_variable *m_coordinate;
};

} // namespace cfa_gdal

#endif
