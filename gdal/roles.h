// The parts that variables play for others: bounds, auxiliary coordinates, grid mappings.
#ifndef CFA_GDAL_ROLES_H
#define CFA_GDAL_ROLES_H

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

    // Named by a coordinates attribute.
    bool IsAuxiliary(const cfa_variable *variable) const
    {
        return m_auxiliary.count(cfa_variable_path(variable)) != 0;
    }

  private:
    void Collect(const File &file, const cfa_variable *variable, const char *attribute, std::set<std::string> &into);

    std::set<std::string> m_bounds{};
    std::set<std::string> m_auxiliary{};
};

// The variables that a user means by the data of a file: numbers with two dimensions or more that describe no others. Where
// there are none, aggregated numbers of one dimension.
std::vector<const cfa_variable *> DataVariables(const File &file);

} // namespace cfa_gdal

#endif
