// Names of datasets: a file, or CFA:"file":/path/variable. Of and Parse are inverse for every path.
#ifndef CFA_GDAL_NAME_H
#define CFA_GDAL_NAME_H

#include <string>

#include "versions.h"

namespace cfa_gdal
{

struct Name
{
    std::string path{};
    // The path as it is written in the name, with its quotes.
    std::string written{};
    // "" for the file as a whole.
    std::string variable{};

    // Whether a name is one of this driver.
    static bool HasPrefix(const char *name);

    static Name Parse(const char *name);

    // Returns the name of a variable in a file, as in a list of subdatasets.
    static std::string Of(const std::string &path, const std::string &variable);
};

// Returns a path or name for messages: short, without control characters, user, password and query.
std::string Shown(std::string name);

} // namespace cfa_gdal

#endif
