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

void AddGlobalMetadata(const cfa_dataset *dataset, CPLStringList &list)
{
    const cfa_group *root = cfa_dataset_root(dataset);
    for (size_t i = 0; i < cfa_group_attribute_count(root); ++i)
    {
        const cfa_attribute *attribute = cfa_group_attribute(root, i);
        const std::string key = std::string("NC_GLOBAL#") + cfa_attribute_name(attribute);
        list.SetNameValue(key.c_str(), AttributeText(attribute).c_str());
    }
}

void AddVariableMetadata(const cfa_variable *variable, CPLStringList &list)
{
    for (size_t i = 0; i < cfa_variable_attribute_count(variable); ++i)
    {
        const cfa_attribute *attribute = cfa_variable_attribute(variable, i);
        const std::string key = std::string(cfa_variable_name(variable)) + "#" + cfa_attribute_name(attribute);
        list.SetNameValue(key.c_str(), AttributeText(attribute).c_str());
    }
}

} // namespace cfa_gdal
