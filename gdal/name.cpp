#include "name.h"

#include <cpl_vsi.h>

namespace cfa_gdal
{

bool Name::HasPrefix(const char *name)
{
    return STARTS_WITH_CI(name, "CFA:");
}

Name Name::Parse(const char *text)
{
    Name name;
    if (!HasPrefix(text))
    {
        name.path = text;
        return name;
    }
    const std::string rest(text + strlen("CFA:"));
    if (!rest.empty() && rest[0] == '"')
    {
        const size_t quote = rest.find('"', 1);
        name.path = rest.substr(1, quote == std::string::npos ? quote : quote - 1);
        if (quote != std::string::npos && quote + 1 < rest.size() && rest[quote + 1] == ':')
            name.variable = rest.substr(quote + 2);
        return name;
    }
    VSIStatBufL status;
    const size_t colon = rest.rfind(':');
    if (colon == std::string::npos || VSIStatL(rest.c_str(), &status) == 0)
    {
        name.path = rest;
        return name;
    }
    name.path = rest.substr(0, colon);
    name.variable = rest.substr(colon + 1);
    return name;
}

std::string Name::Of(const std::string &path, const std::string &variable)
{
    // As the netCDF driver has them: a path only where there are groups.
    const bool root = variable.rfind('/') == 0;
    return "CFA:\"" + path + "\":" + (root ? variable.substr(1) : variable);
}

} // namespace cfa_gdal
