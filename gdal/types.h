// Types of the engine and of GDAL, and values brought from one to the other.
#ifndef CFA_GDAL_TYPES_H
#define CFA_GDAL_TYPES_H

#include <vector>

#include "cfa.h"
#include "versions.h"

namespace cfa_gdal
{

// The number type of GDAL that holds every value of this type; GDT_Unknown for text.
GDALDataType NumericType(int32_t type);

// The same with text, which GDAL has as strings.
GDALExtendedDataType ExtendedType(int32_t type);

// The type in which the numbers of a variable count: bytes and shorts are unsigned where _Unsigned says so. As in the
// netCDF driver, wider integers and unsigned ones are what they are stored as.
int32_t SenseOf(const cfa_variable *variable);

// The same for an attribute of the variable that is compared with its numbers, such as valid_range.
int32_t SenseOf(const cfa_variable *variable, const cfa_attribute *attribute);

// The type of the engine whose values fill a buffer of this number type; 0 if there is none (complex numbers).
int32_t EngineType(GDALDataType type);

// A part of a variable and the place of its elements in a buffer, as GDAL's IRead has them. The vectors have one entry
// per dimension; strides are in elements of the buffer.
struct Part
{
    std::vector<uint64_t> start{};
    std::vector<size_t> count{};
    std::vector<int64_t> step{};
    std::vector<ptrdiff_t> stride{};
};

// Reads numbers into a buffer of a number type of GDAL, rounded and clamped to it as GDAL does. False after CPLError.
bool ReadNumbers(const cfa_variable *variable, Part part, GDALDataType type, void *buffer);

// Reads the numbers along the first dimension as they are meant, such as coordinates: unpacked, and NaN where they are
// missing. False after CPLError.
bool ReadUnpacked(const cfa_variable *variable, std::vector<double> &numbers);

// Whether the numbers of a variable mean others than those that are stored.
bool IsPacked(const cfa_variable *variable);

// Whether an attribute says how numbers are stored, so that it means nothing for those that ReadUnpacked gives.
bool SaysStorage(const cfa_attribute *attribute);

// Reads strings into a buffer of char pointers that CPLFree frees; NULL where the string is missing. False after CPLError.
bool ReadStrings(const cfa_variable *variable, const Part &part, char **buffer);

// Reads characters whose last dimension is the length of text: one string for each index of the dimensions in part.
bool ReadTexts(const cfa_variable *variable, const Part &part, char **buffer);

} // namespace cfa_gdal

#endif
