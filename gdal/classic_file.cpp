#include "classic_file.h"

#include <cstring>

#include "metadata.h"
#include "types.h"

namespace cfa_gdal
{

namespace
{

using Buffer = std::vector<GByte>;
using Type = ClassicFile::Type;

constexpr uint32_t TAG_DIMENSION = 10;
constexpr uint32_t TAG_VARIABLE = 11;
constexpr uint32_t TAG_ATTRIBUTE = 12;

void Put(Buffer &out, uint64_t value, int bytes)
{
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
        out.push_back(static_cast<GByte>(value >> shift));
}

void Pad(Buffer &out, size_t begin)
{
    while ((out.size() - begin) % 4 != 0)
        out.push_back(0);
}

void PutText(Buffer &out, const std::string &text)
{
    Put(out, text.size(), 4);
    const size_t begin = out.size();
    out.insert(out.end(), text.begin(), text.end());
    Pad(out, begin);
}

template <class Bits, class T> Bits BitsOf(T value)
{
    Bits bits;
    static_assert(sizeof(bits) == sizeof(value), "same size");
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

void PutNumber(Buffer &out, Type type, double value)
{
    switch (type)
    {
    case Type::Byte:
    case Type::Char:
        Put(out, static_cast<uint64_t>(static_cast<int64_t>(value)), 1);
        break;
    case Type::Short:
        Put(out, static_cast<uint64_t>(static_cast<int64_t>(value)), 2);
        break;
    case Type::Int:
        Put(out, static_cast<uint64_t>(static_cast<int64_t>(value)), 4);
        break;
    case Type::Float:
        Put(out, BitsOf<uint32_t>(static_cast<float>(value)), 4);
        break;
    case Type::Double:
        Put(out, BitsOf<uint64_t>(value), 8);
        break;
    }
}

uint64_t SizeOf(Type type)
{
    switch (type)
    {
    case Type::Byte:
    case Type::Char:
        return 1;
    case Type::Short:
        return 2;
    case Type::Int:
    case Type::Float:
        return 4;
    case Type::Double:
        break;
    }
    return 8;
}

Type TypeFor(int32_t type)
{
    switch (type)
    {
    case CFA_TYPE_INT8:
        return Type::Byte;
    case CFA_TYPE_UINT8:
    case CFA_TYPE_INT16:
        return Type::Short;
    case CFA_TYPE_UINT16:
    case CFA_TYPE_INT32:
        return Type::Int;
    case CFA_TYPE_FLOAT32:
        return Type::Float;
    default:
        return Type::Double;
    }
}

void PutList(Buffer &out, uint32_t tag, size_t count)
{
    Put(out, count == 0 ? 0 : tag, 4);
    Put(out, count, 4);
}

} // namespace

int ClassicFile::AddDimension(const std::string &name, uint64_t size)
{
    m_dimensions.push_back(Dimension{name, size});
    return static_cast<int>(m_dimensions.size()) - 1;
}

int ClassicFile::AddVariable(const std::string &name, const std::vector<int> &dimensions, Type type)
{
    Variable variable;
    variable.name = name;
    variable.dimensions = dimensions;
    variable.type = type;
    m_variables.push_back(std::move(variable));
    return static_cast<int>(m_variables.size()) - 1;
}

void ClassicFile::SetData(int variable, const std::vector<double> &values)
{
    Variable &target = m_variables[static_cast<size_t>(variable)];
    for (const double value : values)
        PutNumber(target.data, target.type, value);
}

std::vector<GByte> &ClassicFile::NextAttribute(int variable)
{
    if (variable < 0)
    {
        ++m_attributes;
        return m_attributeBytes;
    }
    Variable &target = m_variables[static_cast<size_t>(variable)];
    ++target.attributes;
    return target.attributeBytes;
}

void ClassicFile::AddText(int variable, const std::string &name, const std::string &text)
{
    Buffer &out = NextAttribute(variable);
    PutText(out, name);
    Put(out, static_cast<uint64_t>(Type::Char), 4);
    PutText(out, text);
}

void ClassicFile::AddAttribute(int variable, const cfa_attribute *attribute)
{
    const int32_t type = cfa_attribute_type(attribute);
    const size_t length = cfa_attribute_length(attribute);
    std::vector<double> numbers(length);
    if (NumericType(type) == GDT_Unknown ||
        cfa_attribute_read(attribute, CFA_TYPE_FLOAT64, numbers.data(), length * sizeof(double)) != CFA_OK)
    {
        AddText(variable, cfa_attribute_name(attribute), AttributeText(attribute));
        return;
    }
    Buffer &out = NextAttribute(variable);
    PutText(out, cfa_attribute_name(attribute));
    const Type stored = TypeFor(type);
    Put(out, static_cast<uint64_t>(stored), 4);
    Put(out, length, 4);
    const size_t begin = out.size();
    for (const double number : numbers)
        PutNumber(out, stored, number);
    Pad(out, begin);
}

uint64_t ClassicFile::DataSize(const Variable &variable) const
{
    uint64_t size = SizeOf(variable.type);
    for (const int dimension : variable.dimensions)
        size *= m_dimensions[static_cast<size_t>(dimension)].size;
    return (size + 3) / 4 * 4;
}

std::vector<GByte> ClassicFile::Header(uint64_t dataStart) const
{
    Buffer out = {'C', 'D', 'F', 2};
    Put(out, 0, 4);
    PutList(out, TAG_DIMENSION, m_dimensions.size());
    for (const Dimension &dimension : m_dimensions)
    {
        PutText(out, dimension.name);
        Put(out, dimension.size, 4);
    }
    PutList(out, TAG_ATTRIBUTE, static_cast<size_t>(m_attributes));
    out.insert(out.end(), m_attributeBytes.begin(), m_attributeBytes.end());
    PutList(out, TAG_VARIABLE, m_variables.size());
    for (const Variable &variable : m_variables)
    {
        PutText(out, variable.name);
        Put(out, variable.dimensions.size(), 4);
        for (const int dimension : variable.dimensions)
            Put(out, static_cast<uint64_t>(dimension), 4);
        PutList(out, TAG_ATTRIBUTE, static_cast<size_t>(variable.attributes));
        out.insert(out.end(), variable.attributeBytes.begin(), variable.attributeBytes.end());
        Put(out, static_cast<uint64_t>(variable.type), 4);
        const uint64_t size = DataSize(variable);
        Put(out, std::min<uint64_t>(size, 0xFFFFFFFFu), 4);
        Put(out, dataStart, 8);
        dataStart += size;
    }
    return out;
}

std::vector<GByte> ClassicFile::Bytes() const
{
    const uint64_t dataStart = Header(0).size();
    std::vector<GByte> out = Header(dataStart);
    uint64_t begin = dataStart;
    for (const Variable &variable : m_variables)
    {
        if (!variable.data.empty())
        {
            out.resize(static_cast<size_t>(begin), 0);
            out.insert(out.end(), variable.data.begin(), variable.data.end());
        }
        begin += DataSize(variable);
    }
    Pad(out, 0);
    return out;
}

} // namespace cfa_gdal
