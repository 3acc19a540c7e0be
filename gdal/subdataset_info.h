// The parts of the name of a subdataset, for programs that put another file in its place.
#ifndef CFA_GDAL_SUBDATASET_INFO_H
#define CFA_GDAL_SUBDATASET_INFO_H

#include "versions.h"

#if CFA_GDAL_SUBDATASET_INFO
namespace cfa_gdal
{

// NULL for a name that is not of this driver; else the caller's.
GDALSubdatasetInfo *GetSubdatasetInfo(const char *name);

} // namespace cfa_gdal
#endif

#endif
