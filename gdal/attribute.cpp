#include "attribute.h"

#include "types.h"

namespace cfa_gdal
{

Attribute::Attribute(const std::string &parent, const cfa_attribute *attribute)
    : Attribute(parent, attribute, cfa_attribute_type(attribute))
{
}

Attribute::Attribute(const std::string &parent, const cfa_attribute *attribute, int32_t sense)
    : GDALAbstractMDArray(parent, cfa_attribute_name(attribute)), GDALAttribute(parent, cfa_attribute_name(attribute)),
      m_type(ExtendedType(sense))
{
    const size_t length = cfa_attribute_length(attribute);
    size_t elements = length;
    if (m_type.GetClass() == GEDTC_NUMERIC)
    {
        const int32_t type = cfa_attribute_type(attribute);
        m_numbers.resize(length * m_type.GetSize());
        const int32_t read = m_type.GetSize() == cfa_type_size(type) ? type : EngineType(m_type.GetNumericDataType());
        cfa_attribute_read(attribute, read, m_numbers.data(), m_numbers.size());
    }
    else if (const char *text = cfa_attribute_text(attribute))
    {
        m_texts.emplace_back(text);
        elements = 1;
    }
    else
    {
        for (size_t i = 0; i < length; ++i)
        {
            const char *string = nullptr;
            m_texts.emplace_back(cfa_attribute_string(attribute, i, &string) == CFA_OK ? string : "");
        }
    }
    if (elements != 1)
        m_dimensions.push_back(
            std::make_shared<GDALDimension>(std::string(), "dim0", std::string(), std::string(), elements));
}

bool Attribute::IRead(const GUInt64 *start, const size_t *count, const GInt64 *step, const GPtrDiff_t *stride,
                      const GDALExtendedDataType &type, void *buffer) const
{
    const bool scalar = m_dimensions.empty();
    const size_t number = scalar ? 1 : count[0];
    const GPtrDiff_t jump = scalar ? 0 : stride[0] * static_cast<GPtrDiff_t>(type.GetSize());
    GByte *to = static_cast<GByte *>(buffer);
    for (size_t i = 0; i < number; ++i, to += jump)
    {
        const size_t at = scalar ? 0 : static_cast<size_t>(static_cast<GInt64>(start[0]) + static_cast<GInt64>(i) * step[0]);
        const char *text = m_texts.empty() ? nullptr : m_texts[at].c_str();
        const void *from = m_texts.empty() ? static_cast<const void *>(&m_numbers[at * m_type.GetSize()]) : &text;
        if (!GDALExtendedDataType::CopyValue(from, m_type, to, type))
            return false;
    }
    return true;
}

} // namespace cfa_gdal
