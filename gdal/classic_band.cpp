#include "classic_band.h"

#include "array.h"

namespace cfa_gdal
{

BandTraits BandTraits::Of(const cfa_variable *variable)
{
    BandTraits traits;
    traits.noData = NoDataOf(variable, true);
    traits.type = NumericType(SenseOf(variable));
    if (const char *unit = cfa_variable_units(variable))
        traits.unit = unit;
    int32_t hasScale = 0;
    int32_t hasOffset = 0;
    if (cfa_variable_scale_offset(variable, &hasScale, &traits.scale, &hasOffset, &traits.offset) == CFA_OK)
    {
        traits.hasScale = hasScale != 0;
        traits.hasOffset = hasOffset != 0;
    }
    return traits;
}

ClassicBand::ClassicBand(ClassicDataset &dataset, const std::shared_ptr<const BandTraits> &traits, int index,
                         GDALDataType type, int blockWidth, int blockHeight)
    : KeptBand(dataset), m_dataset(dataset), m_traits(traits), m_index(index)
{
    poDS = &dataset;
    nBand = index + 1;
    eAccess = GA_ReadOnly;
    eDataType = type;
    nRasterXSize = dataset.GetRasterXSize();
    nRasterYSize = dataset.GetRasterYSize();
    nBlockXSize = blockWidth;
    nBlockYSize = blockHeight;
}

const std::string &ClassicBand::Label() const
{
    if (m_label.empty())
        m_label = m_dataset.DescribeBand(m_index);
    return m_label;
}

const char *ClassicBand::GetDescription() const
{
    const char *given = KeptBand::GetDescription();
    return m_keeping || (given != nullptr && *given != '\0') ? given : Label().c_str();
}

void ClassicBand::SetDescription(const char *description)
{
    KeptBand::SetDescription(Label() == description ? "" : description);
}

CPLXMLNode *ClassicBand::SerializeToXML(const char *path)
{
    // The description that a user set is saved beside the file; the label, which depends on the file, is not.
    m_keeping = true;
    CPLXMLNode *tree = KeptBand::SerializeToXML(path);
    m_keeping = false;
    return tree;
}

MetadataLayers &ClassicBand::Metadata()
{
    if (!m_metadata)
    {
        CPLStringList list;
        m_dataset.AddBandMetadata(m_index, list);
        m_metadata = std::make_unique<MetadataLayers>(list);
    }
    return *m_metadata;
}

char **ClassicBand::GetMetadataDomainList()
{
    return BuildMetadataDomainList(KeptBand::GetMetadataDomainList(), TRUE, "", nullptr);
}

CfaMetadataList ClassicBand::GetMetadata(const char *domain)
{
    const auto set = KeptBand::GetMetadata(domain);
    return IsDefaultDomain(domain) ? Metadata().With(set) : set;
}

const char *ClassicBand::GetMetadataItem(const char *name, const char *domain)
{
    const char *set = KeptBand::GetMetadataItem(name, domain);
    return set == nullptr && IsDefaultDomain(domain) ? Metadata().OfFile().FetchNameValue(name) : set;
}

CPLErr ClassicBand::SetMetadata(CfaMetadataList list, const char *domain)
{
    if (!IsDefaultDomain(domain))
        return KeptBand::SetMetadata(list, domain);
    return KeptBand::SetMetadata(Metadata().Setting(list).List(), domain);
}

CPLErr ClassicBand::SetMetadataItem(const char *name, const char *value, const char *domain)
{
    if (IsDefaultDomain(domain))
        value = Metadata().Setting(name, value);
    return KeptBand::SetMetadataItem(name, value, domain);
}

double ClassicBand::GetNoDataValue(int *has)
{
    int set = FALSE;
    double value = KeptBand::GetNoDataValue(&set);
    // Numbers of 64 bits have functions of their own.
    if (!set && !m_traits->noData.empty() && m_traits->type != GDT_Int64 && m_traits->type != GDT_UInt64)
    {
        GDALCopyWords(m_traits->noData.data(), m_traits->type, 0, &value, GDT_Float64, 0, 1);
        set = TRUE;
    }
    if (has)
        *has = set;
    return value;
}

int64_t ClassicBand::GetNoDataValueAsInt64(int *has)
{
    int set = FALSE;
    int64_t value = KeptBand::GetNoDataValueAsInt64(&set);
    if (!set && m_traits->type == GDT_Int64 && !m_traits->noData.empty())
    {
        memcpy(&value, m_traits->noData.data(), sizeof(value));
        set = TRUE;
    }
    if (has)
        *has = set;
    return value;
}

uint64_t ClassicBand::GetNoDataValueAsUInt64(int *has)
{
    int set = FALSE;
    uint64_t value = KeptBand::GetNoDataValueAsUInt64(&set);
    if (!set && m_traits->type == GDT_UInt64 && !m_traits->noData.empty())
    {
        memcpy(&value, m_traits->noData.data(), sizeof(value));
        set = TRUE;
    }
    if (has)
        *has = set;
    return value;
}

double ClassicBand::GetScale(int *has)
{
    if (!m_traits->hasScale)
        return KeptBand::GetScale(has);
    if (has)
        *has = TRUE;
    return m_traits->scale;
}

double ClassicBand::GetOffset(int *has)
{
    if (!m_traits->hasOffset)
        return KeptBand::GetOffset(has);
    if (has)
        *has = TRUE;
    return m_traits->offset;
}

const char *ClassicBand::GetUnitType()
{
    return m_traits->unit.empty() ? KeptBand::GetUnitType() : m_traits->unit.c_str();
}

CPLErr ClassicBand::AdviseRead(int x, int y, int width, int height, int bufferWidth, int bufferHeight, GDALDataType type,
                               CfaOptionList options)
{
    int band = m_index + 1;
    return m_dataset.AdviseRead(x, y, width, height, bufferWidth, bufferHeight, type, 1, &band, options);
}

CPLErr ClassicBand::IReadBlock(int column, int row, void *buffer)
{
    const int x = column * nBlockXSize;
    const int y = row * nBlockYSize;
    const int width = std::min(nBlockXSize, nRasterXSize - x);
    const int height = std::min(nBlockYSize, nRasterYSize - y);
    const GSpacing size = GDALGetDataTypeSizeBytes(eDataType);
    return m_dataset.Read(m_index, 1, x, y, width, height, buffer, eDataType, size, size * nBlockXSize, size) ? CE_None
                                                                                                              : CE_Failure;
}

CPLErr ClassicBand::IRasterIO(GDALRWFlag mode, int x, int y, int width, int height, void *buffer, int bufferWidth,
                              int bufferHeight, GDALDataType type, GSpacing pixel, GSpacing line,
                              GDALRasterIOExtraArg *extra)
{
    const GSpacing size = GDALGetDataTypeSizeBytes(type);
    // A part of a block goes through GDAL's cache of blocks; larger requests are read at once and in parallel.
    const bool large = static_cast<GIntBig>(width) * height >= static_cast<GIntBig>(nBlockXSize) * nBlockYSize;
    if (mode != GF_Read || !large || width != bufferWidth || height != bufferHeight || !m_dataset.Reads(type) ||
        pixel % size != 0 || line % size != 0)
        return GDALPamRasterBand::IRasterIO(mode, x, y, width, height, buffer, bufferWidth, bufferHeight, type, pixel, line,
                                            extra);
    return m_dataset.Read(m_index, 1, x, y, width, height, buffer, type, pixel, line, size) ? CE_None : CE_Failure;
}

} // namespace cfa_gdal
