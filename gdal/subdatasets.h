// A file opened as a raster: its only data variable, the requested one, or the list of several.
#ifndef CFA_GDAL_SUBDATASETS_H
#define CFA_GDAL_SUBDATASETS_H

#include <memory>

#include "file.h"
#include "name.h"

namespace cfa_gdal
{

// Returns NULL after CPLError.
std::unique_ptr<GDALDataset> OpenClassic(const std::shared_ptr<File> &file, const Name &name, const char *description);

} // namespace cfa_gdal

#endif
