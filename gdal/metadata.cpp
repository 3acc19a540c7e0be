#include "metadata.h"

#include <cmath>
#include <vector>

#include "types.h"

namespace cfa_gdal
{

std::string NumberText(int32_t type, double value)
{
    if (std::isnan(value))
        return "nan";
    switch (type)
    {
    case CFA_TYPE_FLOAT32:
        return CPLSPrintf("%.8g", value);
    case CFA_TYPE_FLOAT64:
        return CPLSPrintf("%.16g", value);
    default:
        return CPLSPrintf("%.0f", value);
    }
}

bool IsLong(int32_t type)
{
    return type == CFA_TYPE_INT64 || type == CFA_TYPE_UINT64;
}

std::string LongText(int32_t type, uint64_t bits)
{
    return type == CFA_TYPE_INT64 ? std::to_string(static_cast<int64_t>(bits)) : std::to_string(bits);
}

// The values of an attribute, one by one; none if it cannot be read.
static std::vector<std::string> AttributeTexts(const cfa_attribute *attribute)
{
    const int32_t type = cfa_attribute_type(attribute);
    const size_t length = cfa_attribute_length(attribute);
    std::vector<std::string> texts;
    if (NumericType(type) == GDT_Unknown)
    {
        for (size_t i = 0; i < length; ++i)
        {
            const char *string = "";
            cfa_attribute_string(attribute, i, &string);
            texts.emplace_back(string);
        }
    }
    else if (IsLong(type))
    {
        std::vector<uint64_t> numbers(length);
        if (cfa_attribute_read(attribute, type, numbers.data(), length * sizeof(uint64_t)) == CFA_OK)
        {
            for (const uint64_t number : numbers)
                texts.push_back(LongText(type, number));
        }
    }
    else
    {
        std::vector<double> numbers(length);
        if (cfa_attribute_read(attribute, CFA_TYPE_FLOAT64, numbers.data(), length * sizeof(double)) == CFA_OK)
        {
            for (const double number : numbers)
                texts.push_back(NumberText(type, number));
        }
    }
    return texts;
}

std::string AttributeText(const cfa_attribute *attribute)
{
    if (const char *text = cfa_attribute_text(attribute))
        return text;
    const std::vector<std::string> texts = AttributeTexts(attribute);
    if (texts.size() == 1)
        return texts[0];
    std::string all;
    for (const std::string &text : texts)
        all += "," + text;
    return "{" + (all.empty() ? all : all.substr(1)) + "}";
}

bool HasNothing(const cfa_attribute *attribute)
{
    return cfa_attribute_length(attribute) == 0 && cfa_attribute_type(attribute) != CFA_TYPE_CHAR;
}

std::string NameIn(const cfa_group *group, const std::string &name)
{
    return cfa_group_parent(group) == nullptr ? name : std::string(cfa_group_path(group)) + "/" + name;
}

static void AddGroupMetadata(const cfa_group *group, CPLStringList &list)
{
    const std::string prefix = NameIn(group, "NC_GLOBAL") + "#";
    for (size_t i = 0; i < cfa_group_attribute_count(group); ++i)
    {
        const cfa_attribute *attribute = cfa_group_attribute(group, i);
        if (!HasNothing(attribute))
            list.SetNameValue((prefix + cfa_attribute_name(attribute)).c_str(), AttributeText(attribute).c_str());
    }
    for (size_t i = 0; i < cfa_group_group_count(group); ++i)
        AddGroupMetadata(cfa_group_group(group, i), list);
}

void AddGlobalMetadata(const cfa_dataset *dataset, CPLStringList &list)
{
    AddGroupMetadata(cfa_dataset_root(dataset), list);
}

static void AddMetadata(const cfa_variable *variable, bool asStored, CPLStringList &list)
{
    const std::string prefix = NameIn(cfa_variable_group(variable), cfa_variable_name(variable)) + "#";
    for (size_t i = 0; i < cfa_variable_attribute_count(variable); ++i)
    {
        const cfa_attribute *attribute = cfa_variable_attribute(variable, i);
        if (!HasNothing(attribute) && (asStored || !SaysStorage(attribute)))
            list.SetNameValue((prefix + cfa_attribute_name(attribute)).c_str(), AttributeText(attribute).c_str());
    }
}

void AddVariableMetadata(const cfa_variable *variable, CPLStringList &list)
{
    AddMetadata(variable, true, list);
}

void AddCoordinateMetadata(const cfa_variable *variable, CPLStringList &list)
{
    AddMetadata(variable, !IsPacked(variable), list);
}

} // namespace cfa_gdal
