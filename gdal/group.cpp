#include "group.h"

#include <set>

#include "array.h"
#include "attribute.h"
#include "dimension.h"
#include "roles.h"

namespace cfa_gdal
{

Group::Group(const std::shared_ptr<File> &file, const cfa_group *group, const std::string &parent, const std::string &name)
    : GDALGroup(parent, name), m_file(file), m_group(group)
{
    for (size_t i = 0; parent.empty() && i < cfa_dataset_variable_count(file->Dataset()); ++i)
    {
        const int32_t dialect = cfa_variable_dialect(cfa_dataset_variable(file->Dataset(), i));
        if (dialect != CFA_DIALECT_NONE)
        {
            m_structure.SetNameValue("DIALECT", DialectName(dialect));
            break;
        }
    }
}

std::shared_ptr<Group> Group::Create(const std::shared_ptr<File> &file, const cfa_group *group)
{
    const cfa_group *parent = cfa_group_parent(group);
    if (parent == nullptr)
        return std::make_shared<Group>(file, group, std::string(), "/");
    return std::make_shared<Group>(file, group, cfa_group_path(parent), cfa_group_name(group));
}

bool Group::IsShown(const cfa_variable *variable, CSLConstList options) const
{
    size_t rank = 0;
    // A variable that is not well formed is listed, so that opening it reports why.
    if (cfa_variable_rank(variable, &rank) != CFA_OK)
        return true;
    if (rank == 0 && !cfa_variable_is_aggregated(variable) && !CPLFetchBool(options, "SHOW_ZERO_DIM", false))
        return false;
    const bool named[] = {CPLFetchBool(options, "SHOW_COORDINATES", true), CPLFetchBool(options, "SHOW_BOUNDS", true),
                          CPLFetchBool(options, "SHOW_INDEXING", true), CPLFetchBool(options, "SHOW_TIME", true)};
    if (named[0] && named[1] && named[2] && named[3])
        return true;
    const Roles &roles = m_file->VariableRoles();
    const cfa_dimension *dimension = nullptr;
    const bool indexing = rank == 1 && cfa_variable_dimension(variable, 0, &dimension) == CFA_OK &&
                          m_file->CoordinateOf(dimension) == variable;
    return (named[0] || !roles.IsAuxiliary(variable)) && (named[1] || !roles.IsBounds(variable)) &&
           (named[2] || !indexing) && (named[3] || AxisOf(variable).type != GDAL_DIM_TYPE_TEMPORAL);
}

std::vector<std::string> Group::GetMDArrayNames(CSLConstList options) const
{
    std::vector<std::string> names;
    if (CPLFetchBool(options, "SHOW_ALL", false))
    {
        const cfa_dataset *raw = m_file->RawDataset();
        for (size_t i = 0; i < cfa_dataset_variable_count(raw); ++i)
        {
            const cfa_variable *variable = cfa_dataset_variable(raw, i);
            if (EQUAL(cfa_group_path(cfa_variable_group(variable)), cfa_group_path(m_group)))
                names.emplace_back(cfa_variable_name(variable));
        }
        return names;
    }
    const size_t count = cfa_group_variable_count(m_group);
    for (size_t i = 0; i < count; ++i)
    {
        const cfa_variable *variable = cfa_group_variable(m_group, i);
        if (IsShown(variable, options))
            names.emplace_back(cfa_variable_name(variable));
    }
    return names;
}

std::shared_ptr<GDALMDArray> Group::OpenMDArray(const std::string &name, CSLConstList) const
{
    const std::string path = GetFullName() == "/" ? "/" + name : GetFullName() + "/" + name;
    const cfa_variable *variable = m_file->Find(path);
    return variable == nullptr ? nullptr : Array::Create(m_file, variable);
}

std::vector<std::string> Group::GetGroupNames(CSLConstList) const
{
    std::vector<std::string> names;
    for (size_t i = 0; i < cfa_group_group_count(m_group); ++i)
        names.emplace_back(cfa_group_name(cfa_group_group(m_group, i)));
    return names;
}

std::shared_ptr<GDALGroup> Group::OpenGroup(const std::string &name, CSLConstList) const
{
    for (size_t i = 0; i < cfa_group_group_count(m_group); ++i)
    {
        const cfa_group *group = cfa_group_group(m_group, i);
        if (name == cfa_group_name(group))
            return Create(m_file, group);
    }
    return nullptr;
}

std::vector<std::shared_ptr<GDALDimension>> Group::GetDimensions(CSLConstList) const
{
    std::vector<std::shared_ptr<GDALDimension>> dimensions;
    for (size_t i = 0; i < cfa_group_dimension_count(m_group); ++i)
        dimensions.push_back(Dimension::Create(m_file, cfa_group_dimension(m_group, i)));
    return dimensions;
}

std::vector<std::shared_ptr<GDALAttribute>> Group::GetAttributes(CSLConstList) const
{
    std::vector<std::shared_ptr<GDALAttribute>> attributes;
    const std::string parent = GetFullName() == "/" ? "/" : GetFullName() + "/";
    for (size_t i = 0; i < cfa_group_attribute_count(m_group); ++i)
        attributes.push_back(std::make_shared<Attribute>(parent + "_GLOBAL_", cfa_group_attribute(m_group, i)));
    return attributes;
}

CSLConstList Group::GetStructuralInfo() const
{
    return m_structure.List();
}

} // namespace cfa_gdal
