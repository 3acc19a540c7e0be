// Which numbers of an image are valid: as in the netCDF driver, NaN and numbers outside valid_range become no-data.
#ifndef CFA_GDAL_VALIDITY_H
#define CFA_GDAL_VALIDITY_H

#include <vector>

#include "cfa.h"
#include "versions.h"

namespace cfa_gdal
{

// A rectangle of numbers in a buffer, in several bands; spaces in bytes.
struct Extent
{
    int width;
    int height;
    int bands;
    GSpacing pixel;
    GSpacing line;
    GSpacing band;
};

class Validity
{
  public:
    Validity() = default;

    // For a variable whose images have this type and this no-data value, which may be empty.
    Validity(const cfa_variable *variable, GDALDataType type, const std::vector<GByte> &noData);

    // Whether Apply works on a buffer of this type: the images' own type, or any type if all numbers are valid.
    bool Serves(GDALDataType type) const
    {
        return !m_isLimited || type == m_type;
    }

    // Replaces invalid numbers by no-data, in a buffer of the images' own type.
    void Apply(void *buffer, const Extent &extent) const;

  private:
    template <class T> void ApplyTo(GByte *buffer, const Extent &extent) const;
    void SetRange(const cfa_variable *variable);

    GDALDataType m_type = GDT_Unknown;
    std::vector<GByte> m_noData{};
    bool m_isLimited = false;
    bool m_hasRange = false;
    double m_least = 0.0;
    double m_most = 0.0;
};

} // namespace cfa_gdal

#endif
