#include "roles.h"

#include "types.h"

namespace cfa_gdal
{

Roles::Roles(const File &file)
{
    for (size_t i = 0; i < cfa_dataset_variable_count(file.Dataset()); ++i)
    {
        const cfa_variable *variable = cfa_dataset_variable(file.Dataset(), i);
        Collect(file, variable, "bounds", m_bounds);
        Collect(file, variable, "climatology", m_bounds);
        Collect(file, variable, "coordinates", m_auxiliary);
        const cfa_dimension *dimension = nullptr;
        if (cfa_variable_dimension(variable, 0, &dimension) == CFA_OK && IsAlong(variable, dimension) &&
            cfa_variable_group(variable) == cfa_dimension_group(dimension))
            m_along[dimension].push_back(variable);
    }
}

const cfa_variable *Roles::IndexingFor(const cfa_dimension *dimension) const
{
    const auto found = m_along.find(dimension);
    if (found == m_along.end())
        return nullptr;
    std::vector<const cfa_variable *> named;
    for (const cfa_variable *variable : found->second)
    {
        if (IsAuxiliary(variable))
            named.push_back(variable);
    }
    const std::vector<const cfa_variable *> &candidates = named.empty() ? found->second : named;
    return candidates.size() == 1 ? candidates[0] : nullptr;
}

void Roles::Collect(const File &file, const cfa_variable *variable, const char *attribute, std::set<std::string> &into)
{
    const CPLStringList names(CSLTokenizeString2(TextAttribute(variable, attribute).c_str(), " \t\n", 0));
    for (int i = 0; i < names.Count(); ++i)
    {
        if (const cfa_variable *found = file.Resolve(cfa_variable_group(variable), names[i]))
            into.insert(cfa_variable_path(found));
    }
}

std::vector<const cfa_variable *> DataVariables(const File &file)
{
    const Roles &roles = file.VariableRoles();
    std::vector<const cfa_variable *> data;
    std::vector<const cfa_variable *> lines;
    for (size_t i = 0; i < cfa_dataset_variable_count(file.Dataset()); ++i)
    {
        const cfa_variable *variable = cfa_dataset_variable(file.Dataset(), i);
        size_t rank = 0;
        if (NumericType(cfa_variable_type(variable)) == GDT_Unknown || roles.IsBounds(variable) ||
            roles.IsAuxiliary(variable))
            continue;
        // A variable that is not well formed counts too: opening it reports what is wrong.
        if (cfa_variable_rank(variable, &rank) != CFA_OK || rank >= 2)
            data.push_back(variable);
        else if (rank == 1 && cfa_variable_is_aggregated(variable))
            lines.push_back(variable);
    }
    return data.empty() ? lines : data;
}

const cfa_variable *GridMappingOf(const File &file, const cfa_variable *variable)
{
    const std::string text = TextAttribute(variable, "grid_mapping");
    const cfa_group *group = cfa_variable_group(variable);
    if (text.find(": ") == std::string::npos)
        return text.empty() ? nullptr : file.Resolve(group, text);
    std::vector<const cfa_dimension *> dimensions;
    if (!DimensionsOf(variable, dimensions))
        return nullptr;
    std::set<std::string> names;
    for (const cfa_dimension *dimension : dimensions)
        names.insert(cfa_dimension_name(dimension));
    // As the netCDF driver understands it: "mapping: y x mapping: lat lon", always with two coordinates.
    const CPLStringList words(CSLTokenizeString2(text.c_str(), " ", 0));
    for (int i = 0; words.Count() % 3 == 0 && i < words.Count(); i += 3)
    {
        const std::string mapping = words[i];
        if (names.count(words[i + 1]) != 0 && names.count(words[i + 2]) != 0 && mapping.back() == ':')
            return file.Resolve(group, mapping.substr(0, mapping.size() - 1));
    }
    return nullptr;
}

} // namespace cfa_gdal
