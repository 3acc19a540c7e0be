#include "validity.h"

#include <cmath>
#include <cstring>

#include "attribute.h"
#include "types.h"

namespace cfa_gdal
{

namespace
{

// Returns the numbers of an attribute; none if it does not exist or is text.
std::vector<double> NumbersOf(const cfa_variable *variable, const char *name)
{
    const cfa_attribute *attribute = nullptr;
    if (cfa_variable_attribute_find(variable, name, &attribute) != CFA_OK ||
        NumericType(cfa_attribute_type(attribute)) == GDT_Unknown)
        return {};
    return Attribute(std::string(), attribute, SenseOf(variable, attribute)).ReadAsDoubleArray();
}

template <class T> T Load(const GByte *from)
{
    T value;
    memcpy(&value, from, sizeof(value));
    return value;
}

} // namespace

Validity::Validity(const cfa_variable *variable, GDALDataType type, const std::vector<GByte> &noData)
    : m_type(type), m_noData(noData)
{
    if (noData.empty())
        return;
    SetRange(variable);
    m_isLimited = m_hasRange || type == GDT_Float32 || type == GDT_Float64;
}

void Validity::SetRange(const cfa_variable *variable)
{
    std::vector<double> range = NumbersOf(variable, "valid_range");
    if (range.size() != 2)
    {
        const std::vector<double> least = NumbersOf(variable, "valid_min");
        const std::vector<double> most = NumbersOf(variable, "valid_max");
        if (least.size() != 1 || most.size() != 1)
            return;
        range = {least[0], most[0]};
    }
    // Limits of integers that are not integers themselves most likely apply to unpacked numbers.
    const auto isOdd = [](double limit) { return std::fabs(std::round(limit) - limit) > 1e-5; };
    const bool isInteger = m_type != GDT_Float32 && m_type != GDT_Float64;
    if (!(range[0] <= range[1]) || (isInteger && (isOdd(range[0]) || isOdd(range[1]))))
        return;
    m_hasRange = true;
    m_least = range[0];
    m_most = range[1];
}

template <class T> void Validity::ApplyTo(GByte *buffer, const Extent &extent) const
{
    const T noData = Load<T>(m_noData.data());
    // Limits are compared in the type of the numbers, to which they are rounded and clamped.
    T least = noData;
    T most = noData;
    GDALCopyWords(&m_least, GDT_Float64, 0, &least, m_type, 0, 1);
    GDALCopyWords(&m_most, GDT_Float64, 0, &most, m_type, 0, 1);
    // A limit that is the missing value is ignored.
    const bool hasLeast = m_hasRange && least != noData;
    const bool hasMost = m_hasRange && most != noData;
    for (int band = 0; band < extent.bands; ++band)
    {
        for (int row = 0; row < extent.height; ++row)
        {
            GByte *at = buffer + band * extent.band + row * extent.line;
            for (int column = 0; column < extent.width; ++column, at += extent.pixel)
            {
                const T value = Load<T>(at);
                if ((hasLeast && value < least) || (hasMost && value > most) || value != value)
                    memcpy(at, &noData, sizeof(noData));
            }
        }
    }
}

void Validity::Apply(void *buffer, const Extent &extent) const
{
    if (!m_isLimited)
        return;
    GByte *bytes = static_cast<GByte *>(buffer);
    switch (m_type)
    {
    case GDT_Byte:
        return ApplyTo<GByte>(bytes, extent);
    case GDT_UInt16:
        return ApplyTo<GUInt16>(bytes, extent);
    case GDT_Int16:
        return ApplyTo<GInt16>(bytes, extent);
    case GDT_UInt32:
        return ApplyTo<GUInt32>(bytes, extent);
    case GDT_Int32:
        return ApplyTo<GInt32>(bytes, extent);
    case GDT_UInt64:
        return ApplyTo<std::uint64_t>(bytes, extent);
    case GDT_Int64:
        return ApplyTo<std::int64_t>(bytes, extent);
    case GDT_Float32:
        return ApplyTo<float>(bytes, extent);
    case GDT_Float64:
        return ApplyTo<double>(bytes, extent);
    default:
        // The signed bytes of later versions.
        return ApplyTo<signed char>(bytes, extent);
    }
}

} // namespace cfa_gdal
