#include "metadata.h"

#include <vector>

#include "types.h"

namespace cfa_gdal
{

std::string NumberText(int32_t type, double value)
{
    switch (type)
    {
    case CFA_FLOAT32:
        return CPLSPrintf("%.8g", value);
    case CFA_FLOAT64:
        return CPLSPrintf("%.16g", value);
    default:
        return CPLSPrintf("%.0f", value);
    }
}

std::string AttributeText(const cfa_attribute *attribute)
{
    if (const char *text = cfa_attribute_text(attribute))
        return text;
    const int32_t type = cfa_attribute_type(attribute);
    const size_t length = cfa_attribute_length(attribute);
    std::vector<double> numbers(length);
    const bool text = NumericType(type) == GDT_Unknown;
    if (!text && cfa_attribute_read(attribute, CFA_FLOAT64, numbers.data(), length * sizeof(double)) != CFA_OK)
        return std::string();
    std::string all;
    for (size_t i = 0; i < length; ++i)
    {
        const char *string = "";
        if (text)
            cfa_attribute_string(attribute, i, &string);
        all += (i == 0 ? "" : ",") + (text ? std::string(string) : NumberText(type, numbers[i]));
    }
    return length == 1 ? all : "{" + all + "}";
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
        list.SetNameValue((prefix + cfa_attribute_name(attribute)).c_str(), AttributeText(attribute).c_str());
    }
    for (size_t i = 0; i < cfa_group_group_count(group); ++i)
        AddGroupMetadata(cfa_group_group(group, i), list);
}

void AddGlobalMetadata(const cfa_dataset *dataset, CPLStringList &list)
{
    AddGroupMetadata(cfa_dataset_root(dataset), list);
}

void AddVariableMetadata(const cfa_variable *variable, CPLStringList &list)
{
    const std::string prefix = NameIn(cfa_variable_group(variable), cfa_variable_name(variable)) + "#";
    for (size_t i = 0; i < cfa_variable_attribute_count(variable); ++i)
    {
        const cfa_attribute *attribute = cfa_variable_attribute(variable, i);
        list.SetNameValue((prefix + cfa_attribute_name(attribute)).c_str(), AttributeText(attribute).c_str());
    }
}

} // namespace cfa_gdal
