#include "types.h"

#include <cstring>

#include "file.h"

namespace cfa_gdal
{

GDALDataType NumericType(int32_t type)
{
    switch (type)
    {
    case CFA_TYPE_INT8:
        return CFA_GDT_INT8;
    case CFA_TYPE_UINT8:
        return GDT_Byte;
    case CFA_TYPE_INT16:
        return GDT_Int16;
    case CFA_TYPE_UINT16:
        return GDT_UInt16;
    case CFA_TYPE_INT32:
        return GDT_Int32;
    case CFA_TYPE_UINT32:
        return GDT_UInt32;
    case CFA_TYPE_INT64:
        return GDT_Int64;
    case CFA_TYPE_UINT64:
        return GDT_UInt64;
    case CFA_TYPE_FLOAT32:
        return GDT_Float32;
    case CFA_TYPE_FLOAT64:
        return GDT_Float64;
    default:
        return GDT_Unknown;
    }
}

GDALExtendedDataType ExtendedType(int32_t type)
{
    const GDALDataType number = NumericType(type);
    return number == GDT_Unknown ? GDALExtendedDataType::CreateString() : GDALExtendedDataType::Create(number);
}

int32_t SenseOf(const cfa_variable *variable)
{
    const int32_t stored = cfa_variable_type(variable);
    if (stored != CFA_TYPE_INT8 && stored != CFA_TYPE_INT16)
        return stored;
    if (!EQUAL(CPLString(TextAttribute(variable, "_Unsigned")).Trim().c_str(), "true"))
        return stored;
    return stored == CFA_TYPE_INT8 ? CFA_TYPE_UINT8 : CFA_TYPE_UINT16;
}

int32_t SenseOf(const cfa_variable *variable, const cfa_attribute *attribute)
{
    const int32_t type = cfa_attribute_type(attribute);
    if (type != cfa_variable_type(variable))
        return type;
    for (const char *name : {"_FillValue", "missing_value", "valid_min", "valid_max", "valid_range"})
    {
        if (EQUAL(cfa_attribute_name(attribute), name))
            return SenseOf(variable);
    }
    return type;
}

int32_t EngineType(GDALDataType type)
{
    static const int32_t types[] = {
        CFA_TYPE_UINT8,
        CFA_TYPE_INT16,
        CFA_TYPE_UINT16,
        CFA_TYPE_INT32,
        CFA_TYPE_UINT32,
        CFA_TYPE_INT64,
        CFA_TYPE_UINT64,
        CFA_TYPE_FLOAT32,
        CFA_TYPE_FLOAT64
#if CFA_GDAL_HAS_INT8
        ,
        CFA_TYPE_INT8
#endif
    };
    for (const int32_t candidate : types)
    {
        if (NumericType(candidate) == type)
            return candidate;
    }
    return 0;
}

namespace
{

std::vector<ptrdiff_t> ContiguousStrides(const std::vector<size_t> &count)
{
    std::vector<ptrdiff_t> strides(count.size(), 1);
    for (size_t i = count.size(); i > 1; --i)
        strides[i - 2] = strides[i - 1] * static_cast<GPtrDiff_t>(count[i - 1]);
    return strides;
}

// The number of elements, or false after CPLError if they do not fit in memory.
bool Elements(const std::vector<size_t> &count, size_t size, size_t &elements)
{
    elements = 1;
    for (const size_t n : count)
    {
        if (n != 0 && elements > static_cast<size_t>(-1) / 2 / size / n)
        {
            CPLError(CE_Failure, CPLE_OutOfMemory, "CFA: too many elements in one read");
            return false;
        }
        elements *= n;
    }
    return true;
}

// Reads straight into the caller's buffer.
bool ReadDirect(const cfa_variable *variable, Part &part, int32_t type, void *buffer)
{
    const size_t size = cfa_type_size(type);
    GPtrDiff_t lowest = 0;
    GPtrDiff_t highest = 0;
    for (size_t i = 0; i < part.count.size(); ++i)
    {
        if (part.count[i] <= 1)
        {
            // GDAL passes any step and stride, even 0, where they do not matter.
            part.step[i] = 1;
            part.stride[i] = 1;
            continue;
        }
        const GPtrDiff_t last = part.stride[i] * static_cast<GPtrDiff_t>(part.count[i] - 1);
        (last < 0 ? lowest : highest) += last;
    }
    const GPtrDiff_t element = static_cast<GPtrDiff_t>(size);
    cfa_read_options options = CFA_READ_OPTIONS_INIT;
    options.buffer_start = static_cast<const char *>(buffer) + lowest * element;
    const size_t bytes = static_cast<size_t>(highest - lowest + 1) * size;
    if (cfa_variable_read(variable, part.start.data(), part.count.data(), part.step.data(), part.stride.data(), type, bytes,
                          buffer, &options) == CFA_OK)
        return true;
    ReportEngineError();
    return false;
}

// Calls f(element of a C-order array, offset in the buffer in elements) for each row of the last dimension.
template <class F> void ForEachRow(const std::vector<size_t> &count, const std::vector<ptrdiff_t> &stride, F f)
{
    for (const size_t n : count)
    {
        if (n == 0)
            return;
    }
    const size_t rank = count.size();
    std::vector<size_t> index(rank, 0);
    size_t from = 0;
    GPtrDiff_t to = 0;
    while (true)
    {
        f(from, to);
        if (rank < 2)
            return;
        from += count[rank - 1];
        size_t d = rank - 1;
        while (d > 0)
        {
            --d;
            to += stride[d];
            if (++index[d] < count[d])
                break;
            to -= stride[d] * static_cast<GPtrDiff_t>(count[d]);
            index[d] = 0;
            if (d == 0)
                return;
        }
    }
}

} // namespace

bool ReadNumbers(const cfa_variable *variable, Part part, GDALDataType type, void *buffer)
{
    const int32_t stored = cfa_variable_type(variable);
    const GDALDataType natural = NumericType(SenseOf(variable));
    if (natural == GDT_Unknown)
    {
        CPLError(CE_Failure, CPLE_NotSupported, "CFA: text cannot be read as numbers");
        return false;
    }
    // The bits as they are stored; a signed byte in the larger type that replaces it.
    const size_t size = static_cast<size_t>(GDALGetDataTypeSizeBytes(natural));
    const int32_t read = size == cfa_type_size(stored) ? stored : EngineType(natural);
    if (type == natural)
        return ReadDirect(variable, part, read, buffer);

    size_t elements = 0;
    if (!Elements(part.count, size, elements))
        return false;
    const std::unique_ptr<GByte, decltype(&VSIFree)> values(
        static_cast<GByte *>(VSI_MALLOC2_VERBOSE(std::max<size_t>(elements, 1), size)), VSIFree);
    if (!values)
        return false;
    Part whole = part;
    whole.stride = ContiguousStrides(part.count);
    if (!ReadDirect(variable, whole, read, values.get()))
        return false;
    const int width = GDALGetDataTypeSizeBytes(type);
    const size_t row = part.count.empty() ? 1 : part.count.back();
    const GPtrDiff_t pixel = part.count.empty() ? 1 : part.stride.back();
    ForEachRow(part.count, part.stride, [&](size_t from, GPtrDiff_t to) {
        GDALCopyWords64(values.get() + from * size, natural, static_cast<int>(size),
                        static_cast<GByte *>(buffer) + to * width, type, static_cast<int>(pixel * width),
                        static_cast<GPtrDiff_t>(row));
    });
    return true;
}

static bool MakeRoom(const cfa_variable *variable, std::vector<double> &numbers)
{
    uint64_t size = 0;
    if (cfa_variable_shape(variable, 1, &size) != CFA_OK)
    {
        ReportEngineError();
        return false;
    }
    numbers.resize(static_cast<size_t>(size));
    return true;
}

bool ReadStored(const cfa_variable *variable, std::vector<double> &numbers)
{
    if (!MakeRoom(variable, numbers))
        return false;
    Part part;
    part.start = {0};
    part.count = {numbers.size()};
    part.step = {1};
    part.stride = {1};
    return ReadNumbers(variable, std::move(part), GDT_Float64, numbers.data());
}

bool ReadUnpacked(const cfa_variable *variable, std::vector<double> &numbers)
{
    const uint64_t start = 0;
    if (!MakeRoom(variable, numbers))
        return false;
    const size_t count = numbers.size();
    if (cfa_variable_read_unpacked(variable, &start, &count, nullptr, count, numbers.data()) == CFA_OK)
        return true;
    ReportEngineError();
    return false;
}

bool IsPacked(const cfa_variable *variable)
{
    int32_t hasScale = 0;
    int32_t hasOffset = 0;
    const bool known = cfa_variable_scale_offset(variable, &hasScale, nullptr, &hasOffset, nullptr) == CFA_OK;
    return !known || hasScale != 0 || hasOffset != 0 || cfa_variable_unpacked_type(variable) != cfa_variable_type(variable);
}

bool SaysStorage(const cfa_attribute *attribute)
{
    for (const char *name :
         {"scale_factor", "add_offset", "_Unsigned", "_FillValue", "missing_value", "valid_min", "valid_max", "valid_range"})
    {
        if (EQUAL(cfa_attribute_name(attribute), name))
            return true;
    }
    return false;
}

bool ReadStrings(const cfa_variable *variable, const Part &part, char **buffer)
{
    size_t elements = 0;
    if (!Elements(part.count, sizeof(char *), elements))
        return false;
    std::vector<char *> strings(elements, nullptr);
    Part whole = part;
    whole.stride = ContiguousStrides(part.count);
    char *none = nullptr;
    if (!ReadDirect(variable, whole, CFA_TYPE_STRING, elements == 0 ? &none : strings.data()))
        return false;
    const size_t row = part.count.empty() ? 1 : part.count.back();
    const GPtrDiff_t pixel = part.count.empty() ? 1 : part.stride.back();
    ForEachRow(part.count, part.stride, [&](size_t from, GPtrDiff_t to) {
        for (size_t i = 0; i < row; ++i)
        {
            const char *text = strings[from + i];
            buffer[to + static_cast<GPtrDiff_t>(i) * pixel] = text == nullptr ? nullptr : CPLStrdup(text);
        }
    });
    cfa_strings_free(strings.data(), strings.size());
    return true;
}

bool ReadTexts(const cfa_variable *variable, const Part &part, char **buffer)
{
    std::vector<uint64_t> shape(part.count.size() + 1);
    size_t rank = 0;
    if (cfa_variable_rank(variable, &rank) != CFA_OK || cfa_variable_shape(variable, shape.size(), shape.data()) != CFA_OK)
    {
        ReportEngineError();
        return false;
    }
    Part bytes = part;
    const size_t length = rank == 0 ? 1 : static_cast<size_t>(shape[rank - 1]);
    if (rank > 0)
    {
        bytes.start.push_back(0);
        bytes.count.push_back(length);
        bytes.step.push_back(1);
    }
    bytes.stride = ContiguousStrides(bytes.count);
    size_t elements = 0;
    if (!Elements(bytes.count, 1, elements))
        return false;
    std::vector<char> text(std::max<size_t>(elements, 1), '\0');
    if (!ReadDirect(variable, bytes, CFA_TYPE_CHAR, text.data()))
        return false;
    const size_t row = part.count.empty() ? 1 : part.count.back();
    const GPtrDiff_t pixel = part.count.empty() ? 1 : part.stride.back();
    ForEachRow(part.count, part.stride, [&](size_t from, GPtrDiff_t to) {
        for (size_t i = 0; i < row; ++i)
        {
            const char *begin = text.data() + (from + i) * length;
            const std::string one(begin, CPLStrnlen(begin, length));
            buffer[to + static_cast<GPtrDiff_t>(i) * pixel] = CPLStrdup(one.c_str());
        }
    });
    return true;
}

} // namespace cfa_gdal
