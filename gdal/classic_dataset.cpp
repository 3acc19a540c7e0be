#include "classic_dataset.h"

#include <climits>

#include "attribute.h"
#include "classic_band.h"
#include "metadata.h"
#include "name.h"
#include "roles.h"

namespace cfa_gdal
{

namespace
{

// A larger block gets fewer rows, since GDAL holds several blocks at once.
constexpr uint64_t MOST_BLOCK_BYTES = 16 * 1024 * 1024;

// An attribute of a band, in the numbers that the band has.
std::string TextInSense(const cfa_variable *variable, const cfa_attribute *attribute)
{
    const int32_t sense = SenseOf(variable, attribute);
    if (sense == cfa_attribute_type(attribute))
        return AttributeText(attribute);
    const CPLStringList numbers(Attribute(std::string(), attribute, sense).ReadAsStringArray());
    std::string all;
    for (int i = 0; i < numbers.Count(); ++i)
        all += (i == 0 ? "" : ",") + std::string(numbers[i]);
    return numbers.Count() == 1 ? all : "{" + all + "}";
}

} // namespace

ClassicDataset::ClassicDataset(const std::shared_ptr<File> &file, const cfa_variable *variable)
    : m_file(file), m_variable(variable), m_georeferencing(std::make_shared<Georeferencing>())
{
}

ClassicDataset::~ClassicDataset()
{
    FlushCache(true);
}

std::unique_ptr<GDALDataset> ClassicDataset::Create(const std::shared_ptr<File> &file, const cfa_variable *variable,
                                                    const char *description, bool isSubdataset)
{
    if (NumericType(cfa_variable_type(variable)) == GDT_Unknown)
    {
        CPLError(CE_Failure, CPLE_NotSupported, "CFA: %s is text, which cannot be shown as a raster",
                 Shown(cfa_variable_path(variable)).c_str());
        return nullptr;
    }
    std::unique_ptr<ClassicDataset> dataset(new ClassicDataset(file, variable));
    if (!dataset->Shape())
        return nullptr;
    if (dataset->m_hasRows)
        dataset->m_georeferencing = file->GeoreferencingOf(variable);
    dataset->MakeBands();
    dataset->SetDescription(description);
    dataset->m_isSubdataset = isSubdataset;
    if (isSubdataset)
    {
        dataset->SetPhysicalFilename(file->Path().c_str());
        dataset->SetSubdatasetName(cfa_variable_path(variable));
    }
    dataset->LoadKept(isSubdataset);
    dataset->oOvManager.Initialize(dataset.get(), isSubdataset ? ":::VIRTUAL:::" : file->Path().c_str());
    return dataset;
}

#if CFA_GDAL_CLONES
std::unique_ptr<GDALDataset> ClassicDataset::Clone(int scope, bool canShare) const
{
    if (!CanBeCloned(scope, canShare))
        return nullptr;
    std::unique_ptr<GDALDataset> copy = Create(m_file, m_variable, GetDescription(), m_isSubdataset);
    if (copy)
        static_cast<ClassicDataset &>(*copy).poDriver = poDriver;
    return copy;
}
#endif

bool ClassicDataset::Shape()
{
    std::vector<const cfa_dimension *> dimensions;
    if (!DimensionsOf(m_variable, dimensions))
        return false;
    const size_t rank = dimensions.size();
    std::vector<uint64_t> shape(rank);
    std::vector<uint64_t> block(rank);
    if (cfa_variable_shape(m_variable, rank, shape.data()) != CFA_OK ||
        cfa_variable_block_shape(m_variable, rank, block.data()) != CFA_OK)
    {
        ReportEngineError();
        return false;
    }
    if (rank == 0)
    {
        CPLError(CE_Failure, CPLE_NotSupported, "CFA: %s is a scalar, which cannot be shown as a raster",
                 Shown(cfa_variable_path(m_variable)).c_str());
        return false;
    }
    m_hasRows = rank >= 2;
    const size_t imageRank = m_hasRows ? 2 : 1;
    uint64_t bands = 1;
    for (size_t i = 0; i < rank; ++i)
    {
        if (shape[i] == 0 || shape[i] > static_cast<uint64_t>(INT_MAX) || bands > static_cast<uint64_t>(INT_MAX) / shape[i])
        {
            if (shape[i] != 0 && i >= rank - imageRank && shape[i] <= static_cast<uint64_t>(INT_MAX))
                continue;
            CPLError(CE_Failure, CPLE_NotSupported,
                     "CFA: %s is empty or too large for a raster; use the multidimensional API",
                     Shown(cfa_variable_path(m_variable)).c_str());
            return false;
        }
        if (i < rank - imageRank)
        {
            BandDimension dimension;
            dimension.dimension = dimensions[i];
            dimension.coordinate = m_file->IndexingVariableOf(dimensions[i], cfa_variable_group(m_variable));
            dimension.size = shape[i];
            m_bandDimensions.push_back(std::move(dimension));
            bands *= shape[i];
        }
    }
    nRasterXSize = static_cast<int>(shape[rank - 1]);
    nRasterYSize = m_hasRows ? static_cast<int>(shape[rank - 2]) : 1;
    m_blockWidth = static_cast<int>(std::min<uint64_t>(std::max<uint64_t>(block[rank - 1], 1), shape[rank - 1]));
    const uint64_t size = cfa_type_size(cfa_variable_type(m_variable));
    const uint64_t rows = std::max<uint64_t>(1, MOST_BLOCK_BYTES / (static_cast<uint64_t>(m_blockWidth) * size));
    m_blockHeight = m_hasRows ? static_cast<int>(std::min(std::max<uint64_t>(block[rank - 2], 1), rows)) : 1;
    nBands = static_cast<int>(bands);
    return GDALCheckBandCount(nBands, FALSE) != FALSE;
}

void ClassicDataset::MakeBands()
{
    const int count = nBands;
    nBands = 0;
    const GDALDataType type = NumericType(SenseOf(m_variable));
    const BandTraits traits = BandTraits::Of(m_variable);
    const auto shared = std::make_shared<const BandTraits>(traits);
    m_validity = Validity(m_variable, traits.type, traits.noData);
    // The last one first, so that GDAL's list of bands grows only once.
    for (int i = count; i > 0; --i)
        SetBand(i, new ClassicBand(*this, shared, i - 1, type, m_blockWidth, m_blockHeight));
}

const OGRSpatialReference *ClassicDataset::GetSpatialRef() const
{
    const OGRSpatialReference &own = m_georeferencing->SpatialReference();
    return own.IsEmpty() ? GDALPamDataset::GetSpatialRef() : &own;
}

#if CFA_GDAL_GEOTRANSFORM_CLASS
CPLErr ClassicDataset::GetGeoTransform(GDALGeoTransform &transform) const
{
    if (!m_georeferencing->HasTransform())
        return GDALPamDataset::GetGeoTransform(transform);
    transform = GDALGeoTransform(m_georeferencing->Transform());
    return CE_None;
}
#else
CPLErr ClassicDataset::GetGeoTransform(double *transform)
{
    if (!m_georeferencing->HasTransform())
        return GDALPamDataset::GetGeoTransform(transform);
    memcpy(transform, m_georeferencing->Transform(), 6 * sizeof(double));
    return CE_None;
}
#endif

MetadataLayers *ClassicDataset::Metadata(const char *domain)
{
    std::call_once(m_metadataOnce, [this] {
        m_metadata.emplace("", MetadataOfFile());
        m_metadata.emplace("GEOLOCATION", CPLStringList(m_georeferencing->Geolocation()));
        m_metadata.emplace("GEOLOCATION2", CPLStringList(m_georeferencing->Geolocation2()));
    });
    const auto found = m_metadata.find(domain == nullptr ? "" : domain);
    return found == m_metadata.end() ? nullptr : &found->second;
}

char **ClassicDataset::GetMetadataDomainList()
{
    return BuildMetadataDomainList(GDALPamDataset::GetMetadataDomainList(), TRUE, "", "GEOLOCATION", "GEOLOCATION2",
                                   nullptr);
}

CfaMetadataList ClassicDataset::GetMetadata(const char *domain)
{
    const auto set = GDALPamDataset::GetMetadata(domain);
    MetadataLayers *layers = Metadata(domain);
    return layers == nullptr ? set : layers->With(set);
}

const char *ClassicDataset::GetMetadataItem(const char *name, const char *domain)
{
    const char *set = GDALPamDataset::GetMetadataItem(name, domain);
    const MetadataLayers *layers = set == nullptr ? Metadata(domain) : nullptr;
    return layers == nullptr ? set : layers->OfFile().FetchNameValue(name);
}

CPLErr ClassicDataset::SetMetadata(CfaMetadataList list, const char *domain)
{
    MetadataLayers *layers = Metadata(domain);
    if (layers == nullptr)
        return GDALPamDataset::SetMetadata(list, domain);
    return GDALPamDataset::SetMetadata(layers->Setting(list).List(), domain);
}

CPLErr ClassicDataset::SetMetadataItem(const char *name, const char *value, const char *domain)
{
    MetadataLayers *layers = Metadata(domain);
    return GDALPamDataset::SetMetadataItem(name, layers == nullptr ? value : layers->Setting(name, value), domain);
}

char **ClassicDataset::GetFileList()
{
    CPLStringList files(GDALPamDataset::GetFileList());
    if (files.FindString(m_file->Path().c_str()) < 0)
        files.InsertString(0, m_file->Path().c_str());
    return files.StealList();
}

bool ClassicDataset::Read(int first, int count, int x, int y, int width, int height, void *buffer, GDALDataType type,
                          GSpacing pixel, GSpacing line, GSpacing band) const
{
    const GSpacing size = GDALGetDataTypeSizeBytes(type);
    void *const begin = buffer;
    Part part = PartOf(first, count, x, y, width, height);
    const bool flip = m_hasRows && m_georeferencing->IsBottomUp();
    // Rows are read in the order of the file, which is fastest, and reversed while they are copied into the buffer.
    if (flip)
        buffer = static_cast<GByte *>(buffer) + (height - 1) * line;
    part.stride.assign(m_bandDimensions.size(), 1);
    if (!m_bandDimensions.empty())
        part.stride.back() = static_cast<GPtrDiff_t>(band / size);
    if (m_hasRows)
        part.stride.push_back(static_cast<GPtrDiff_t>(flip ? -line / size : line / size));
    part.stride.push_back(static_cast<GPtrDiff_t>(pixel / size));
    if (!ReadNumbers(m_variable, std::move(part), type, buffer))
        return false;
    m_file->TellWarnings();
    m_validity.Apply(begin, Extent{width, height, count, pixel, line, band});
    return true;
}

Part ClassicDataset::PartOf(int first, int count, int x, int y, int width, int height) const
{
    Part part;
    for (const size_t index : IndexOf(first))
    {
        part.start.push_back(index);
        part.count.push_back(1);
    }
    if (!part.count.empty())
        part.count.back() = static_cast<size_t>(count);
    if (m_hasRows)
    {
        part.start.push_back(static_cast<GUInt64>(m_georeferencing->IsBottomUp() ? nRasterYSize - y - height : y));
        part.count.push_back(static_cast<size_t>(height));
    }
    part.start.push_back(static_cast<GUInt64>(x));
    part.count.push_back(static_cast<size_t>(width));
    part.step.assign(part.start.size(), 1);
    return part;
}

bool ClassicDataset::Advise(int first, int count, int x, int y, int width, int height) const
{
    const Part part = PartOf(first, count, x, y, width, height);
    if (cfa_variable_advise(m_variable, part.start.data(), part.count.data(), nullptr) == CFA_OK)
        return true;
    ReportEngineError();
    return false;
}

CPLErr ClassicDataset::AdviseRead(int x, int y, int width, int height, int bufferWidth, int bufferHeight, GDALDataType,
                                  int bandCount, int *bands, CfaOptionList)
{
    // A read at a lower resolution comes from overviews, or does not need everything. GDAL's own function asks the bands,
    // which call this one.
    const bool isWhole = width == bufferWidth && height == bufferHeight && x >= 0 && y >= 0 && width > 0 && height > 0 &&
                         width <= nRasterXSize - x && height <= nRasterYSize - y;
    if (!isWhole)
        return CE_None;
    const int along = m_bandDimensions.empty() ? 1 : static_cast<int>(m_bandDimensions.back().size);
    const auto band = [bands](int i) { return bands == nullptr ? i : bands[i] - 1; };
    for (int i = 0; i < bandCount;)
    {
        const int first = band(i);
        if (first < 0 || first >= nBands)
            return CE_Failure;
        int count = 1;
        while (i + count < bandCount && band(i + count) == first + count && first % along + count < along)
            ++count;
        if (!Advise(first, count, x, y, width, height))
            return CE_Failure;
        i += count;
    }
    return CE_None;
}

CPLErr ClassicDataset::IRasterIO(GDALRWFlag mode, int x, int y, int width, int height, void *buffer, int bufferWidth,
                                 int bufferHeight, GDALDataType type, int bandCount, int *bands, GSpacing pixel,
                                 GSpacing line, GSpacing band, GDALRasterIOExtraArg *extra)
{
    const GSpacing size = GDALGetDataTypeSizeBytes(type);
    const bool consecutive = bandCount > 1 && !m_bandDimensions.empty() && bands[bandCount - 1] - bands[0] == bandCount - 1;
    if (mode != GF_Read || !consecutive || width != bufferWidth || height != bufferHeight || !Reads(type) ||
        pixel % size != 0 || line % size != 0 || band % size != 0)
        return GDALPamDataset::IRasterIO(mode, x, y, width, height, buffer, bufferWidth, bufferHeight, type, bandCount,
                                         bands, pixel, line, band, extra);
    for (int i = 1; i < bandCount; ++i)
    {
        if (bands[i] != bands[0] + i)
            return GDALPamDataset::IRasterIO(mode, x, y, width, height, buffer, bufferWidth, bufferHeight, type, bandCount,
                                             bands, pixel, line, band, extra);
    }
    // Chunks often span bands: one read for all bands decodes each chunk once.
    const int along = static_cast<int>(m_bandDimensions.back().size);
    for (int done = 0; done < bandCount;)
    {
        const int first = bands[0] - 1 + done;
        const int count = std::min(bandCount - done, along - first % along);
        if (!Read(first, count, x, y, width, height, static_cast<GByte *>(buffer) + done * band, type, pixel, line, band))
            return CE_Failure;
        done += count;
        if (extra != nullptr && extra->pfnProgress != nullptr &&
            !extra->pfnProgress(static_cast<double>(done) / bandCount, "", extra->pProgressData))
            return CE_Failure;
    }
    return CE_None;
}

std::vector<size_t> ClassicDataset::IndexOf(int band) const
{
    std::vector<size_t> index(m_bandDimensions.size());
    size_t rest = static_cast<size_t>(band);
    for (size_t i = m_bandDimensions.size(); i > 0; --i)
    {
        const size_t size = static_cast<size_t>(m_bandDimensions[i - 1].size);
        index[i - 1] = rest % size;
        rest /= size;
    }
    return index;
}

void ClassicDataset::LoadCoordinates()
{
    for (BandDimension &dimension : m_bandDimensions)
    {
        if (dimension.coordinate == nullptr)
            continue;
        const size_t size = static_cast<size_t>(dimension.size);
        Part part;
        part.start = {0};
        part.count = {size};
        part.step = {1};
        part.stride = {1};
        const int32_t type = cfa_variable_type(dimension.coordinate);
        if (NumericType(type) != GDT_Unknown)
        {
            std::vector<double> numbers;
            if (ReadUnpacked(dimension.coordinate, numbers))
                dimension.numbers = std::move(numbers);
            const bool isLong = IsLong(cfa_variable_unpacked_type(dimension.coordinate));
            std::vector<uint64_t> longs(isLong ? size : 0);
            if (isLong && ReadNumbers(dimension.coordinate, part, NumericType(type), longs.data()))
                dimension.longs = std::move(longs);
            continue;
        }
        std::vector<char *> texts(size, nullptr);
        const bool ok = type == CFA_TYPE_CHAR ? ReadTexts(dimension.coordinate, part, texts.data())
                                              : ReadStrings(dimension.coordinate, part, texts.data());
        for (char *text : texts)
        {
            if (ok)
                dimension.texts.emplace_back(text == nullptr ? "" : text);
            CPLFree(text);
        }
    }
}

std::string ClassicDataset::ValueText(const BandDimension &dimension, size_t index) const
{
    if (!dimension.texts.empty())
        return dimension.texts[index];
    if (!dimension.longs.empty())
        return LongText(cfa_variable_unpacked_type(dimension.coordinate), dimension.longs[index]);
    if (!dimension.numbers.empty())
        return NumberText(cfa_variable_unpacked_type(dimension.coordinate), dimension.numbers[index]);
    return std::to_string(index + 1);
}

std::string ClassicDataset::DescribeBand(int band)
{
    std::call_once(m_coordinatesOnce, [this] { LoadCoordinates(); });
    const std::vector<size_t> index = IndexOf(band);
    std::string all;
    for (size_t i = 0; i < index.size(); ++i)
    {
        const BandDimension &dimension = m_bandDimensions[i];
        std::string text = ValueText(dimension, index[i]);
        const char *units = dimension.coordinate == nullptr ? nullptr : cfa_variable_units(dimension.coordinate);
        if (units != nullptr && !dimension.numbers.empty())
        {
            const std::string calendar = TextAttribute(dimension.coordinate, "calendar");
            char date[64];
            if (cfa_time_format(units, calendar.empty() ? nullptr : calendar.c_str(), dimension.numbers[index[i]], date,
                                sizeof(date), nullptr) == CFA_OK)
            {
                text = date;
                const size_t midnight = text.rfind(" 00:00:00");
                if (midnight != std::string::npos && midnight + strlen(" 00:00:00") == text.size())
                    text.resize(midnight);
            }
            else if (!EQUAL(units, "1") && *units != '\0')
            {
                text += std::string(" ") + units;
            }
        }
        all += (all.empty() ? "" : ", ") + std::string(cfa_dimension_name(dimension.dimension)) + "=" + text;
    }
    return all.empty() ? cfa_variable_name(m_variable) : all;
}

void ClassicDataset::AddBandMetadata(int band, CPLStringList &list)
{
    std::call_once(m_coordinatesOnce, [this] { LoadCoordinates(); });
    list.SetNameValue("NETCDF_VARNAME", cfa_variable_name(m_variable));
    const std::vector<size_t> index = IndexOf(band);
    for (size_t i = 0; i < index.size(); ++i)
    {
        const std::string key = std::string("NETCDF_DIM_") + cfa_dimension_name(m_bandDimensions[i].dimension);
        list.SetNameValue(key.c_str(), ValueText(m_bandDimensions[i], index[i]).c_str());
    }
    for (size_t i = 0; i < cfa_variable_attribute_count(m_variable); ++i)
    {
        const cfa_attribute *attribute = cfa_variable_attribute(m_variable, i);
        if (!HasNothing(attribute))
            list.SetNameValue(cfa_attribute_name(attribute), TextInSense(m_variable, attribute).c_str());
    }
}

CPLStringList ClassicDataset::MetadataOfFile()
{
    std::call_once(m_coordinatesOnce, [this] { LoadCoordinates(); });
    CPLStringList list;
    AddGlobalMetadata(m_file->Dataset(), list);
    AddVariableMetadata(m_variable, list);
    std::vector<const cfa_dimension *> dimensions;
    if (DimensionsOf(m_variable, dimensions))
    {
        for (const cfa_dimension *dimension : dimensions)
        {
            if (const cfa_variable *coordinate = m_file->CoordinateOf(dimension, cfa_variable_group(m_variable)))
                AddCoordinateMetadata(coordinate, list);
        }
    }
    for (const std::string &name : m_georeferencing->Withdrawn())
        list.SetNameValue(name.c_str(), nullptr);
    if (const cfa_variable *mapping = GridMappingOf(*m_file, m_variable))
        AddVariableMetadata(mapping, list);
    std::string names;
    for (const BandDimension &dimension : m_bandDimensions)
    {
        const std::string name = cfa_dimension_name(dimension.dimension);
        names += (names.empty() ? "" : ",") + name;
        if (dimension.coordinate == nullptr)
            continue;
        // The numbers of netCDF's types, as the netCDF driver shows them.
        static const int netcdf[] = {0, 1, 7, 3, 8, 4, 9, 10, 11, 5, 6, 2, 12};
        list.SetNameValue(("NETCDF_DIM_" + name + "_DEF").c_str(),
                          CPLSPrintf("{" CPL_FRMT_GUIB ",%d}", static_cast<GUIntBig>(dimension.size),
                                     netcdf[cfa_variable_unpacked_type(dimension.coordinate)]));
        std::string values;
        for (size_t i = 0; i < std::max(dimension.numbers.size(), dimension.texts.size()); ++i)
            values += (i == 0 ? "" : ",") + ValueText(dimension, i);
        list.SetNameValue(("NETCDF_DIM_" + name + "_VALUES").c_str(),
                          dimension.size == 1 ? values.c_str() : ("{" + values + "}").c_str());
    }
    if (!m_bandDimensions.empty())
        list.SetNameValue("NETCDF_DIM_EXTRA", ("{" + names + "}").c_str());
    return list;
}

} // namespace cfa_gdal
