// Types of the engine and of GDAL, and the conversion of values between them.
#ifndef CFA_GDAL_TYPES_H
#define CFA_GDAL_TYPES_H

#include <vector>

#include "cfa.h"
#include "versions.h"

namespace cfa_gdal
{

// The number type of GDAL that holds every value of this type; GDT_Unknown for text.
GDALDataType NumericType(int32_t type);

// The same, and strings for text.
GDALExtendedDataType ExtendedType(int32_t type);

// The type that the numbers of a variable mean: bytes and shorts are unsigned if _Unsigned says so. As in the netCDF
// driver, the attribute does not apply to wider integers and to unsigned ones.
int32_t SenseOf(const cfa_variable *variable);

// The same for an attribute of the variable that is compared with its numbers, such as valid_range.
int32_t SenseOf(const cfa_variable *variable, const cfa_attribute *attribute);

// The type of the engine whose values fill a buffer of this number type; 0 if there is none (complex numbers).
int32_t EngineType(GDALDataType type);

// A part of a variable and where its elements go in a buffer, as in GDAL's IRead. The vectors have one entry per
// dimension; strides are in elements of the buffer.
struct Part
{
    std::vector<uint64_t> start{};
    std::vector<size_t> count{};
    std::vector<int64_t> step{};
    std::vector<ptrdiff_t> stride{};
};

// Reads numbers into a buffer of a number type of GDAL, rounded and clamped to it as GDAL does. Returns false after
// CPLError.
bool ReadNumbers(const cfa_variable *variable, Part part, GDALDataType type, void *buffer);

// Reads the unpacked numbers along the first dimension, such as coordinates, with NaN for missing ones. Returns false
// after CPLError.
bool ReadUnpacked(const cfa_variable *variable, std::vector<double> &numbers);

// The same as they are stored, with the missing value for missing ones.
bool ReadStored(const cfa_variable *variable, std::vector<double> &numbers);

// Whether the numbers of a variable are stored packed, or with _Unsigned.
bool IsPacked(const cfa_variable *variable);

// Whether an attribute describes packing, so that it does not apply to what ReadUnpacked returns.
bool SaysStorage(const cfa_attribute *attribute);

// Reads strings into a buffer of char pointers, to be freed with CPLFree; NULL for missing strings. Returns false after
// CPLError.
bool ReadStrings(const cfa_variable *variable, const Part &part, char **buffer);

// Reads characters whose last dimension is the length of text: one string for each index of the dimensions in part.
bool ReadTexts(const cfa_variable *variable, const Part &part, char **buffer);

} // namespace cfa_gdal

#endif
