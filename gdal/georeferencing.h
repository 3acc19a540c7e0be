// Where the raster of a variable lies on the earth.
//
// The result must be that of GDAL's netCDF driver for the same variable in one plain file, in every version of GDAL.
// Therefore that driver computes it, from a netCDF file in memory with the coordinates and the grid mapping but no data.
#ifndef CFA_GDAL_GEOREFERENCING_H
#define CFA_GDAL_GEOREFERENCING_H

#include <memory>

#include "file.h"
#include "plain_raster.h"

namespace cfa_gdal
{

class Georeferencing
{
  public:
    // For a variable with two dimensions or more, the last two of which are those of the raster.
    static std::shared_ptr<const Georeferencing> Of(const File &file, const cfa_variable *variable);

    // Empty if there is none.
    const OGRSpatialReference &SpatialReference() const
    {
        return m_plain.reference;
    }

    bool HasTransform() const
    {
        return m_plain.hasTransform;
    }

    const double *Transform() const
    {
        return m_plain.transform;
    }

    // Whether the first row of the data is the southernmost one.
    bool IsBottomUp() const
    {
        return m_plain.isBottomUp;
    }

    // The items of the domains GEOLOCATION, which names arrays of coordinates, and GEOLOCATION2, which has the
    // values of uneven axes.
    const CPLStringList &Geolocation() const
    {
        return m_plain.geolocation;
    }

    const CPLStringList &Geolocation2() const
    {
        return m_plain.geolocation2;
    }

    // The items of metadata, such as "x#units", that do not hold for the transform, which may have other units.
    const std::vector<std::string> &Withdrawn() const
    {
        return m_withdrawn;
    }

  private:
    PlainRaster m_plain{};
    std::vector<std::string> m_withdrawn{};
};

} // namespace cfa_gdal

#endif
