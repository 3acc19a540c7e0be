// The roles of variables that describe others: bounds, auxiliary coordinates, grid mappings.
#ifndef CFA_GDAL_ROLES_H
#define CFA_GDAL_ROLES_H

#include <map>
#include <set>
#include <string>
#include <vector>

#include "file.h"

namespace cfa_gdal
{

class Roles
{
  public:
    explicit Roles(const File &file);

    bool IsBounds(const cfa_variable *variable) const
    {
        return m_bounds.count(cfa_variable_path(variable)) != 0;
    }

    // Variables that an attribute coordinates names.
    bool IsAuxiliary(const cfa_variable *variable) const
    {
        return m_auxiliary.count(cfa_variable_path(variable)) != 0;
    }

    // For a dimension without a coordinate variable: the only variable of its group that has this dimension and no
    // other; if attributes coordinates name some of these, only they count. NULL if there is none or more than one.
    const cfa_variable *IndexingFor(const cfa_dimension *dimension) const;

  private:
    void Collect(const File &file, const cfa_variable *variable, const char *attribute, std::set<std::string> &into);

    std::set<std::string> m_bounds{};
    std::set<std::string> m_auxiliary{};
    std::map<const cfa_dimension *, std::vector<const cfa_variable *>> m_along{};
};

// Returns the data variables of a file: numbers with two dimensions or more that describe no other variables; if there
// are none, aggregated numbers with one dimension.
std::vector<const cfa_variable *> DataVariables(const File &file);

// Returns the variable that defines the reference system of a raster: the grid mapping of the variable or, if it names
// several with their coordinates, the one for two of its dimensions. NULL if there is none.
const cfa_variable *GridMappingOf(const File &file, const cfa_variable *variable);

} // namespace cfa_gdal

#endif
