// Attributes as the texts of GDAL's metadata, in the style of the netCDF driver.
#ifndef CFA_GDAL_METADATA_H
#define CFA_GDAL_METADATA_H

#include <string>

#include "file.h"

namespace cfa_gdal
{

// A number as the netCDF driver prints one of this type.
std::string NumberText(int32_t type, double value);

// Whether numbers of this type may be too long for a double.
bool IsLong(int32_t type);

// The number of such a type, from its bits.
std::string LongText(int32_t type, uint64_t bits);

// The value of an attribute; several are put in braces.
std::string AttributeText(const cfa_attribute *attribute);

// The name of something in a group, as the netCDF driver has it: a path only where there are groups.
std::string NameIn(const cfa_group *group, const std::string &name);

// NC_GLOBAL#name=value for the attributes of the root, /group/NC_GLOBAL#name=value for those of the other groups.
void AddGlobalMetadata(const cfa_dataset *dataset, CPLStringList &list);

// name#attribute=value for the attributes of a variable, /group/name#attribute=value in a group.
void AddVariableMetadata(const cfa_variable *variable, CPLStringList &list);

// The same for a coordinate variable, whose numbers are shown unpacked: a copy that has them would be unpacked again.
void AddCoordinateMetadata(const cfa_variable *variable, CPLStringList &list);

} // namespace cfa_gdal

#endif
