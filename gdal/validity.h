// Which numbers of an image count, as the netCDF driver has it: what is NaN or outside of valid_range is read as no-data.
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

    // Of a variable whose images have this type and this no-data value, which may be empty.
    Validity(const cfa_variable *variable, GDALDataType type, const std::vector<GByte> &noData);

    // Whether a buffer of this type can be made valid after it was read: one of the images' own type, or any if all counts.
    bool Serves(GDALDataType type) const
    {
        return !m_isLimited || type == m_type;
    }

    // Makes no-data of what does not count, in a buffer of the images' own type.
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
