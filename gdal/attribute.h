// An attribute with its values in memory.
#ifndef CFA_GDAL_ATTRIBUTE_H
#define CFA_GDAL_ATTRIBUTE_H

#include <memory>
#include <string>
#include <vector>

#include "cfa.h"
#include "versions.h"

namespace cfa_gdal
{

class Attribute final : public GDALAttribute
{
  public:
    Attribute(const std::string &parent, const cfa_attribute *attribute);

    // The numbers get this type, which has the same size (a signed or unsigned one).
    Attribute(const std::string &parent, const cfa_attribute *attribute, int32_t sense);

    const std::vector<std::shared_ptr<GDALDimension>> &GetDimensions() const override
    {
        return m_dimensions;
    }

    const GDALExtendedDataType &GetDataType() const override
    {
        return m_type;
    }

  protected:
    bool IRead(const GUInt64 *start, const size_t *count, const GInt64 *step, const GPtrDiff_t *stride,
               const GDALExtendedDataType &type, void *buffer) const override;

  private:
    GDALExtendedDataType m_type;
    std::vector<std::shared_ptr<GDALDimension>> m_dimensions{};
    std::vector<GByte> m_numbers{};
    std::vector<std::string> m_texts{};
};

} // namespace cfa_gdal

#endif
