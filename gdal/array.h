// A variable, aggregated or not, as a multidimensional array of GDAL.
#ifndef CFA_GDAL_ARRAY_H
#define CFA_GDAL_ARRAY_H

#include <memory>
#include <string>
#include <vector>

#include "file.h"
#include "types.h"

namespace cfa_gdal
{

class Array final : public GDALPamMDArray
{
  public:
    // Returns NULL after CPLError if the aggregation is not well formed.
    static std::shared_ptr<Array> Create(const std::shared_ptr<File> &file, const cfa_variable *variable);

    bool IsWritable() const override
    {
        return false;
    }

    const std::string &GetFilename() const override
    {
        return m_file->Path();
    }

    const std::vector<std::shared_ptr<GDALDimension>> &GetDimensions() const override
    {
        return m_dimensions;
    }

    const GDALExtendedDataType &GetDataType() const override
    {
        return m_type;
    }

    const std::string &GetUnit() const override
    {
        return m_unit;
    }

    std::vector<GUInt64> GetBlockSize() const override;
    std::vector<std::shared_ptr<GDALAttribute>> GetAttributes(CSLConstList options = nullptr) const override;
    std::shared_ptr<GDALAttribute> GetAttribute(const std::string &name) const override;
    const void *GetRawNoDataValue() const override;
    double GetOffset(bool *has, GDALDataType *storage) const override;
    double GetScale(bool *has, GDALDataType *storage) const override;
    CSLConstList GetStructuralInfo() const override;
    std::shared_ptr<OGRSpatialReference> GetSpatialRef() const override;
    std::vector<std::shared_ptr<GDALMDArray>> GetCoordinateVariables() const override;
#if CFA_GDAL_RAW_BLOCKS
    bool GetRawBlockInfo(const uint64_t *block, GDALMDArrayRawBlockInfo &info) const override;
#endif

  protected:
    bool IRead(const GUInt64 *start, const size_t *count, const GInt64 *step, const GPtrDiff_t *stride,
               const GDALExtendedDataType &type, void *buffer) const override;
    bool IAdviseRead(const GUInt64 *start, const size_t *count, CSLConstList options) const override;

  private:
    Array(const std::shared_ptr<File> &file, const cfa_variable *variable);

    // Whether an attribute is listed. GDAL has the others under names of its own, and would write them twice into a copy.
    bool IsShown(const char *attribute) const;

    // Whether the last dimension is the length of texts; GDAL does not show it.
    bool IsText() const
    {
        return cfa_variable_type(m_variable) == CFA_TYPE_CHAR;
    }

    std::shared_ptr<File> m_file;
    const cfa_variable *m_variable;
    GDALExtendedDataType m_type;
    std::string m_unit{};
    std::vector<std::shared_ptr<GDALDimension>> m_dimensions{};
    std::vector<GByte> m_noData{};
    CPLStringList m_structure{};
    double m_scale = 1.0;
    double m_offset = 0.0;
    bool m_hasScale = false;
    bool m_hasOffset = false;
};

// The bytes of the missing value in GDAL's number type; empty if there is none.
// If withDefault is set and no attribute has a missing value, it is the default fill value of the type.
std::vector<GByte> NoDataOf(const cfa_variable *variable, bool withDefault);

} // namespace cfa_gdal

#endif
