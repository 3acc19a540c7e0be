#include "kept.h"

#include <cstdlib>
#include <memory>
#include <vector>

namespace cfa_gdal
{

namespace
{

// Smaller files are parsed at once.
constexpr size_t LEAST_BYTES = 64 * 1024;

constexpr std::string_view BEGIN = "<PAMRasterBand band=\"";
constexpr std::string_view END = "</PAMRasterBand>";

struct DestroyTree
{
    void operator()(CPLXMLNode *tree) const
    {
        CPLDestroyXMLNode(tree);
    }
};
using Tree = std::unique_ptr<CPLXMLNode, DestroyTree>;

} // namespace

void KeptDataset::LoadKept(bool isSubdataset)
{
    PamInitialize();
    VSIStatBufL state;
    const char *name = isSubdataset ? nullptr : BuildPamFilename();
    GByte *bytes = nullptr;
    vsi_l_offset size = 0;
    if (name != nullptr && VSIStatL(name, &state) == 0 && static_cast<vsi_l_offset>(state.st_size) >= LEAST_BYTES &&
        VSIIngestFile(nullptr, name, &bytes, &size, -1))
    {
        m_text.assign(reinterpret_cast<const char *>(bytes), static_cast<size_t>(size));
        VSIFree(bytes);
        if (Distribute())
            return;
        m_text.clear();
    }
    TryLoadXML();
}

bool KeptDataset::Distribute()
{
    const std::string_view text(m_text);
    // Elements could mean something else in comments and CDATA, in XML that is a value, and in the part of a subdataset.
    for (const std::string_view word : {"<!", "format=\"xml\"", "<Subdataset"})
    {
        if (text.find(word) != text.npos)
            return false;
    }
    std::vector<std::pair<KeptBand *, std::string_view>> found;
    std::string rest;
    size_t done = 0;
    for (size_t begin = text.find(BEGIN); begin != text.npos; begin = text.find(BEGIN, done))
    {
        const size_t end = text.find(END, begin);
        const size_t next = text.find(BEGIN, begin + BEGIN.size());
        const int number = std::atoi(text.data() + begin + BEGIN.size());
        if (end == text.npos || next < end || number < 1 || number > nBands)
            return false;
        rest.append(text.substr(done, begin - done));
        done = end + END.size();
        found.emplace_back(static_cast<KeptBand *>(papoBands[number - 1]), text.substr(begin, done - begin));
    }
    rest.append(text.substr(done));
    const Tree tree(CPLParseXMLString(rest.c_str()));
    if (!tree)
        return false;
    for (const auto &[band, element] : found)
    {
        // A band that has two is left to GDAL.
        if (!band->m_element.empty())
        {
            for (const auto &each : found)
                each.first->m_element = {};
            return false;
        }
        band->m_element = element;
    }
    XMLInit(tree.get(), CPLGetPath(BuildPamFilename()));
    nPamFlags &= ~GPF_DIRTY;
    return true;
}

KeptBand::KeptBand(KeptDataset &dataset) : GDALPamRasterBand(FALSE), m_kept(dataset)
{
}

void KeptBand::Load()
{
    if (m_element.empty())
        return;
    const Tree tree(CPLParseXMLString(std::string(m_element).c_str()));
    m_element = {};
    const int flags = m_kept.nPamFlags;
    if (tree)
        XMLInit(tree.get(), CPLGetPath(m_kept.BuildPamFilename()));
    // The text was just read, so it need not be written.
    m_kept.nPamFlags = flags;
}

const char *KeptBand::GetDescription() const
{
    const_cast<KeptBand *>(this)->Load();
    return GDALPamRasterBand::GetDescription();
}

void KeptBand::SetDescription(const char *description)
{
    Load();
    GDALPamRasterBand::SetDescription(description);
}

CPLXMLNode *KeptBand::SerializeToXML(const char *path)
{
    Load();
    return GDALPamRasterBand::SerializeToXML(path);
}

char **KeptBand::GetMetadataDomainList()
{
    Load();
    return GDALPamRasterBand::GetMetadataDomainList();
}

CfaMetadataList KeptBand::GetMetadata(const char *domain)
{
    Load();
    return GDALPamRasterBand::GetMetadata(domain);
}

const char *KeptBand::GetMetadataItem(const char *name, const char *domain)
{
    Load();
    return GDALPamRasterBand::GetMetadataItem(name, domain);
}

CPLErr KeptBand::SetMetadata(CfaMetadataList list, const char *domain)
{
    Load();
    return GDALPamRasterBand::SetMetadata(list, domain);
}

CPLErr KeptBand::SetMetadataItem(const char *name, const char *value, const char *domain)
{
    Load();
    return GDALPamRasterBand::SetMetadataItem(name, value, domain);
}

double KeptBand::GetNoDataValue(int *has)
{
    Load();
    return GDALPamRasterBand::GetNoDataValue(has);
}

int64_t KeptBand::GetNoDataValueAsInt64(int *has)
{
    Load();
    return GDALPamRasterBand::GetNoDataValueAsInt64(has);
}

uint64_t KeptBand::GetNoDataValueAsUInt64(int *has)
{
    Load();
    return GDALPamRasterBand::GetNoDataValueAsUInt64(has);
}

CPLErr KeptBand::SetNoDataValue(double value)
{
    Load();
    return GDALPamRasterBand::SetNoDataValue(value);
}

CPLErr KeptBand::SetNoDataValueAsInt64(int64_t value)
{
    Load();
    return GDALPamRasterBand::SetNoDataValueAsInt64(value);
}

CPLErr KeptBand::SetNoDataValueAsUInt64(uint64_t value)
{
    Load();
    return GDALPamRasterBand::SetNoDataValueAsUInt64(value);
}

CPLErr KeptBand::DeleteNoDataValue()
{
    Load();
    return GDALPamRasterBand::DeleteNoDataValue();
}

GDALColorTable *KeptBand::GetColorTable()
{
    Load();
    return GDALPamRasterBand::GetColorTable();
}

CPLErr KeptBand::SetColorTable(GDALColorTable *table)
{
    Load();
    return GDALPamRasterBand::SetColorTable(table);
}

GDALColorInterp KeptBand::GetColorInterpretation()
{
    Load();
    return GDALPamRasterBand::GetColorInterpretation();
}

CPLErr KeptBand::SetColorInterpretation(GDALColorInterp interpretation)
{
    Load();
    return GDALPamRasterBand::SetColorInterpretation(interpretation);
}

const char *KeptBand::GetUnitType()
{
    Load();
    return GDALPamRasterBand::GetUnitType();
}

CPLErr KeptBand::SetUnitType(const char *unit)
{
    Load();
    return GDALPamRasterBand::SetUnitType(unit);
}

char **KeptBand::GetCategoryNames()
{
    Load();
    return GDALPamRasterBand::GetCategoryNames();
}

CPLErr KeptBand::SetCategoryNames(char **names)
{
    Load();
    return GDALPamRasterBand::SetCategoryNames(names);
}

double KeptBand::GetOffset(int *has)
{
    Load();
    return GDALPamRasterBand::GetOffset(has);
}

CPLErr KeptBand::SetOffset(double offset)
{
    Load();
    return GDALPamRasterBand::SetOffset(offset);
}

double KeptBand::GetScale(int *has)
{
    Load();
    return GDALPamRasterBand::GetScale(has);
}

CPLErr KeptBand::SetScale(double scale)
{
    Load();
    return GDALPamRasterBand::SetScale(scale);
}

CPLErr KeptBand::GetHistogram(double least, double most, int count, GUIntBig *histogram, int outside, int approximate,
                              GDALProgressFunc progress, void *data)
{
    Load();
    return GDALPamRasterBand::GetHistogram(least, most, count, histogram, outside, approximate, progress, data);
}

CPLErr KeptBand::GetDefaultHistogram(double *least, double *most, int *count, GUIntBig **histogram, int force,
                                     GDALProgressFunc progress, void *data)
{
    Load();
    return GDALPamRasterBand::GetDefaultHistogram(least, most, count, histogram, force, progress, data);
}

CPLErr KeptBand::SetDefaultHistogram(double least, double most, int count, GUIntBig *histogram)
{
    Load();
    return GDALPamRasterBand::SetDefaultHistogram(least, most, count, histogram);
}

GDALRasterAttributeTable *KeptBand::GetDefaultRAT()
{
    Load();
    return GDALPamRasterBand::GetDefaultRAT();
}

CPLErr KeptBand::SetDefaultRAT(const GDALRasterAttributeTable *table)
{
    Load();
    return GDALPamRasterBand::SetDefaultRAT(table);
}

CPLErr KeptBand::CloneInfo(GDALRasterBand *source, int flags)
{
    Load();
    return GDALPamRasterBand::CloneInfo(source, flags);
}

} // namespace cfa_gdal
