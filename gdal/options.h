// The settings of the engine as open options and configuration options (GDAL_CFA_*) of GDAL.
#ifndef CFA_GDAL_OPTIONS_H
#define CFA_GDAL_OPTIONS_H

#include <string>

#include "cfa.h"
#include "versions.h"

namespace cfa_gdal
{

// What `gdalinfo --format CFA` lists.
std::string OpenOptionList();

// Opens a dataset with the settings in force: open option, else configuration option, else that of the library.
// False after CPLError.
bool OpenDataset(const std::string &path, CSLConstList options, bool raw, cfa_dataset **dataset);

} // namespace cfa_gdal

#endif
