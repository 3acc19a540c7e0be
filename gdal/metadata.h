// Attributes as the texts of GDAL's metadata, in the style of the netCDF driver.
#ifndef CFA_GDAL_METADATA_H
#define CFA_GDAL_METADATA_H

#include <string>

#include "file.h"

namespace cfa_gdal
{

// Formats a number of this type as the netCDF driver does.
std::string NumberText(int32_t type, double value);

// Whether a double may not represent numbers of this type exactly.
bool IsLong(int32_t type);

// Formats a number of such a type, given its bits.
std::string LongText(int32_t type, uint64_t bits);

// Formats the value of an attribute; several values are put in braces.
std::string AttributeText(const cfa_attribute *attribute);

// Whether an attribute is a list without entries, which is not shown, as in the netCDF driver.
bool HasNothing(const cfa_attribute *attribute);

// Returns the name of something in a group, as the netCDF driver forms it: a path only if there are groups.
std::string NameIn(const cfa_group *group, const std::string &name);

// NC_GLOBAL#name=value for the attributes of the root, /group/NC_GLOBAL#name=value for those of the other groups.
void AddGlobalMetadata(const cfa_dataset *dataset, CPLStringList &list);

// name#attribute=value for the attributes of a variable, /group/name#attribute=value in a group.
void AddVariableMetadata(const cfa_variable *variable, CPLStringList &list);

// The same for a coordinate variable, whose numbers are shown unpacked. The attributes of packing are left out, or
// numbers in a copy would be unpacked again.
void AddCoordinateMetadata(const cfa_variable *variable, CPLStringList &list);

} // namespace cfa_gdal

#endif
