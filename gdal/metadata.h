// Attributes as the texts of GDAL's metadata, in the style of the netCDF driver.
#ifndef CFA_GDAL_METADATA_H
#define CFA_GDAL_METADATA_H

#include <string>

#include "file.h"

namespace cfa_gdal
{

// A number as the netCDF driver prints one of this type.
std::string NumberText(int32_t type, double value);

// The value of an attribute; several are put in braces.
std::string AttributeText(const cfa_attribute *attribute);

// NC_GLOBAL#name=value for the attributes of the root.
void AddGlobalMetadata(const cfa_dataset *dataset, CPLStringList &list);

// name#attribute=value for the attributes of a variable.
void AddVariableMetadata(const cfa_variable *variable, CPLStringList &list);

} // namespace cfa_gdal

#endif
