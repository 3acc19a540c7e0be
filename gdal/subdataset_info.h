// Splits the name of a subdataset, for programs that replace the file in it.
#ifndef CFA_GDAL_SUBDATASET_INFO_H
#define CFA_GDAL_SUBDATASET_INFO_H

#include "versions.h"

#if CFA_GDAL_SUBDATASET_INFO
namespace cfa_gdal
{

// Returns NULL for a name that is not of this driver; otherwise the caller owns the result.
GDALSubdatasetInfo *GetSubdatasetInfo(const char *name);

} // namespace cfa_gdal
#endif

#endif
