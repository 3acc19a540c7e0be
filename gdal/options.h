// The settings of the engine as open options and configuration options (GDAL_CFA_*) of GDAL.
#ifndef CFA_GDAL_OPTIONS_H
#define CFA_GDAL_OPTIONS_H

#include <string>

#include "cfa.h"
#include "versions.h"

namespace cfa_gdal
{

// The open option that chooses the variable of a raster.
constexpr const char *VARIABLE_OPTION = "VARIABLE";

// What `gdalinfo --format CFA` lists.
std::string OpenOptionList();

// Opens a dataset. The value of a setting is that of the open option, else of the configuration option, else of the
// library. Returns false after CPLError.
bool OpenDataset(const std::string &path, CSLConstList options, bool raw, cfa_dataset **dataset);

// Whether these options or the environment allow more than one thread.
bool AllowThreads(CSLConstList options);

} // namespace cfa_gdal

#endif
