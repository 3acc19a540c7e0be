// Where a block of an array is stored, for programs that read files by themselves, such as those that make references.
#include "array.h"

namespace cfa_gdal
{

#if CFA_GDAL_RAW_BLOCKS

namespace
{

// The names that GDAL's HDF5 driver has for filters. Those that compress are not listed with the others there.
struct FilterName
{
    uint32_t number;
    const char *name;
    bool compresses;
};

constexpr FilterName FILTER_NAMES[] = {{1, "DEFLATE", true},  {2, "SHUFFLE", false},   {3, "FLETCHER32", false},
                                       {4, "SZIP", true},     {5, "NBIT", false},      {6, "SCALEOFFSET", false},
                                       {307, "BZIP2", false}, {32001, "BLOSC", false}, {32015, "ZSTD", false}};

struct Answer
{
    GDALMDArrayRawBlockInfo &info;
    bool isLong;
    bool isFound;
};

int32_t Take(const cfa_chunk *chunk, void *data)
{
    Answer &answer = *static_cast<Answer *>(data);
    CPLStringList list;
    std::string others;
    for (size_t i = 0; i < chunk->filter_count; ++i)
    {
        FilterName filter{chunk->filters[i], nullptr, false};
        for (const FilterName &known : FILTER_NAMES)
        {
            if (known.number == filter.number)
                filter = known;
        }
        if (filter.compresses)
            list.SetNameValue("COMPRESSION", filter.name);
        else
            others += (others.empty() ? "" : ",") +
                      (filter.name == nullptr ? std::to_string(filter.number) : std::string(filter.name));
    }
    if (!others.empty())
        list.SetNameValue("FILTER", others.c_str());
    if (answer.isLong)
        list.SetNameValue("ENDIANNESS", chunk->is_big_endian != 0 ? "BIG" : "LITTLE");
    answer.info.pszFilename = CPLStrdup(chunk->file);
    answer.info.nOffset = chunk->offset;
    answer.info.nSize = chunk->size;
    answer.info.papszInfo = list.StealList();
    answer.isFound = true;
    return 1;
}

} // namespace

bool Array::GetRawBlockInfo(const uint64_t *block, GDALMDArrayRawBlockInfo &info) const
{
    info.clear();
    const std::vector<GUInt64> shape = GetBlockSize();
    std::vector<uint64_t> start(m_dimensions.size());
    for (size_t i = 0; i < m_dimensions.size(); ++i)
    {
        const GUInt64 size = m_dimensions[i]->GetSize();
        if (IsText() || shape[i] == 0 || block[i] >= size / shape[i] + (size % shape[i] != 0))
        {
            CPLError(CE_Failure, CPLE_AppDefined, "CFA: %s has no block with this coordinate along dimension %u",
                     GetFullName().c_str(), static_cast<unsigned>(i));
            return false;
        }
        start[i] = block[i] * shape[i];
    }
    const std::vector<uint64_t> count(shape.begin(), shape.end());
    Answer answer{info, m_type.GetSize() > 1, false};
    if (cfa_variable_chunk_visit(m_variable, start.data(), count.data(), Take, &answer) != CFA_OK)
        ReportEngineError();
    return answer.isFound;
}

#endif

} // namespace cfa_gdal
