// What differs between versions of GDAL, from 3.6 on. No other file checks the version.
#ifndef CFA_GDAL_VERSIONS_H
#define CFA_GDAL_VERSIONS_H

#include <gdal_pam.h>
#include <gdal_priv.h>

#if GDAL_VERSION_NUM < GDAL_COMPUTE_VERSION(3, 6, 0)
#error "the CFA driver needs GDAL 3.6 or later"
#endif

// A signed byte has its own type from 3.7 on; before, the next larger type is used.
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 7, 0)
#define CFA_GDT_INT8 GDT_Int8
#define CFA_GDAL_HAS_INT8 1
#else
#define CFA_GDT_INT8 GDT_Int16
#define CFA_GDAL_HAS_INT8 0
#endif

// From 3.8 on, drivers can split names of subdatasets for programs.
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 8, 0)
#define CFA_GDAL_SUBDATASET_INFO 1
#else
#define CFA_GDAL_SUBDATASET_INFO 0
#endif

// From 3.10 on, a dataset that several threads use may be made of copies (RFC 101).
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 10, 0)
#define CFA_GDAL_CLONES 1
#else
#define CFA_GDAL_CLONES 0
#endif

// From 3.12 on, arrays report where their blocks are stored.
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 12, 0)
#define CFA_GDAL_RAW_BLOCKS 1
#else
#define CFA_GDAL_RAW_BLOCKS 0
#endif

// From 3.13 on, bands report whether a large read uses several threads.
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 13, 0)
#define CFA_GDAL_TELLS_THREADS 1
#else
#define CFA_GDAL_TELLS_THREADS 0
#endif

#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 12, 0)
#define CFA_GDAL_GEOTRANSFORM_CLASS 1
#else
#define CFA_GDAL_GEOTRANSFORM_CLASS 0
#endif

#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 13, 0)
using CfaMetadataList = CSLConstList;
using CfaOptionList = CSLConstList;
#else
using CfaMetadataList = char **;
using CfaOptionList = char **;
#endif

#endif
