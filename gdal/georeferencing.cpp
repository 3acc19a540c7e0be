#include "georeferencing.h"

#include <atomic>
#include <map>
#include <set>

#include "classic_file.h"
#include "name.h"
#include "types.h"

namespace cfa_gdal
{

namespace
{

// Not a name that a coordinate variable has.
const char *const DATA = "cfa_data_variable";

// libnetcdf reads the header of a file in pieces of this size. It refuses a file in memory of which such a piece, begun
// anywhere in the header, goes beyond the end.
constexpr size_t HEADER_PIECE = 4096;

using Type = ClassicFile::Type;

// The file that stands for the variable: coordinates, grid mapping, and one row of the data.
class StandIn
{
  public:
    StandIn(const File &file, const cfa_variable *variable, const std::vector<const cfa_dimension *> &dimensions)
        : m_file(file), m_variable(variable), m_y(dimensions[dimensions.size() - 2]), m_x(dimensions.back())
    {
        const cfa_group *root = cfa_dataset_root(file.Dataset());
        for (size_t i = 0; i < cfa_group_attribute_count(root); ++i)
            m_out.AddAttribute(-1, cfa_group_attribute(root, i));
        m_numbers[m_y] = m_out.AddDimension(cfa_dimension_name(m_y), cfa_dimension_size(m_y));
        m_numbers[m_x] = m_out.AddDimension(cfa_dimension_name(m_x), cfa_dimension_size(m_x));
        Add(file.CoordinateOf(m_y));
        Add(file.CoordinateOf(m_x));
        AddNamed("grid_mapping");
        AddNamed("coordinates");
        AddData();
        // Those with two dimensions have no data here: what comes after the rows of the data may be missing in the file.
        for (const cfa_variable *surface : m_surfaces)
            Write(surface, false);
    }

    std::vector<GByte> Bytes() const
    {
        return m_out.Bytes();
    }

  private:
    bool DimensionNumbers(const cfa_variable *variable, std::vector<int> &numbers) const
    {
        size_t rank = 0;
        if (cfa_variable_rank(variable, &rank) != CFA_OK || rank > 2)
            return false;
        for (size_t i = 0; i < rank; ++i)
        {
            const cfa_dimension *dimension = nullptr;
            if (cfa_variable_dimension(variable, i, &dimension) != CFA_OK)
                return false;
            const auto found = m_numbers.find(dimension);
            if (found == m_numbers.end())
                return false;
            numbers.push_back(found->second);
        }
        return true;
    }

    void AddNamed(const char *attribute)
    {
        const CPLStringList names(CSLTokenizeString2(TextAttribute(m_variable, attribute).c_str(), " \t\n:", 0));
        for (int i = 0; i < names.Count(); ++i)
            Add(m_file.Resolve(cfa_variable_group(m_variable), names[i]));
    }

    void Add(const cfa_variable *variable)
    {
        std::vector<int> dimensions;
        if (variable == nullptr || variable == m_variable || !m_names.insert(cfa_variable_name(variable)).second ||
            !DimensionNumbers(variable, dimensions))
            return;
        if (dimensions.size() == 2)
            m_surfaces.push_back(variable);
        else
            Write(variable, dimensions.size() == 1);
    }

    void Write(const cfa_variable *variable, bool withData)
    {
        std::vector<int> dimensions;
        DimensionNumbers(variable, dimensions);
        const bool number = NumericType(cfa_variable_type(variable)) != GDT_Unknown;
        // The driver is more patient with uneven steps of single precision.
        const Type type = !number ? Type::Char : cfa_variable_type(variable) == CFA_FLOAT32 ? Type::Float : Type::Double;
        const int out = m_out.AddVariable(cfa_variable_name(variable), dimensions, type);
        for (size_t i = 0; i < cfa_variable_attribute_count(variable); ++i)
            m_out.AddAttribute(out, cfa_variable_attribute(variable, i));
        if (!withData || !number)
            return;
        Part part;
        uint64_t size = 0;
        if (cfa_variable_shape(variable, 1, &size) != CFA_OK)
            return;
        part.start = {0};
        part.count = {static_cast<size_t>(size)};
        part.step = {1};
        part.stride = {1};
        std::vector<double> values(static_cast<size_t>(size));
        if (size > 0 && ReadNumbers(variable, part, GDT_Float64, values.data()))
            m_out.SetData(out, values);
    }

    void AddData()
    {
        const int out = m_out.AddVariable(DATA, {m_numbers[m_y], m_numbers[m_x]}, Type::Byte);
        for (const char *name : {"coordinates", "grid_mapping"})
        {
            const cfa_attribute *attribute = nullptr;
            if (cfa_variable_attribute_find(m_variable, name, &attribute) == CFA_OK)
                m_out.AddAttribute(out, attribute);
        }
        // The mark by which the first row is known again.
        m_out.SetData(out, std::vector<double>(static_cast<size_t>(cfa_dimension_size(m_x)), 1.0));
    }

    const File &m_file;
    const cfa_variable *m_variable;
    const cfa_dimension *m_y;
    const cfa_dimension *m_x;
    ClassicFile m_out{};
    std::map<const cfa_dimension *, int> m_numbers{};
    std::set<std::string> m_names{};
    std::vector<const cfa_variable *> m_surfaces{};
};

// A file of /vsimem/ that ends with this object.
class MemoryFile
{
  public:
    explicit MemoryFile(std::vector<GByte> &bytes)
    {
        static std::atomic<unsigned> counter{0};
        m_name = CPLSPrintf("/vsimem/cfa_georeferencing_%p_%u.nc", static_cast<void *>(this), ++counter);
        VSIFCloseL(VSIFileFromMemBuffer(m_name.c_str(), bytes.data(), bytes.size(), FALSE));
    }

    ~MemoryFile()
    {
        VSIUnlink(m_name.c_str());
    }

    MemoryFile(const MemoryFile &) = delete;
    MemoryFile &operator=(const MemoryFile &) = delete;

    const std::string &Name() const
    {
        return m_name;
    }

  private:
    std::string m_name{};
};

} // namespace

void Georeferencing::TakeFrom(GDALDataset &plain, const File &file, const cfa_variable *variable)
{
    if (const OGRSpatialReference *reference = plain.GetSpatialRef())
        m_reference = *reference;
    m_hasTransform = GDALGetGeoTransform(GDALDataset::ToHandle(&plain), m_transform) == CE_None;
    m_geolocation = CPLStringList(CSLDuplicate(plain.GetMetadata("GEOLOCATION")));
    m_geolocation2 = CPLStringList(CSLDuplicate(plain.GetMetadata("GEOLOCATION2")));
    for (const char *key : {"X_DATASET", "Y_DATASET"})
    {
        // The arrays are in our file, not in the one made up.
        const char *name = m_geolocation.FetchNameValue(key);
        const char *colon = name == nullptr ? nullptr : strrchr(name, ':');
        const cfa_variable *array =
            colon == nullptr ? nullptr : file.Resolve(cfa_variable_group(variable), std::string(colon + 1));
        if (array != nullptr)
            m_geolocation.SetNameValue(key, Name::Of(file.Path(), cfa_variable_path(array)).c_str());
    }
    // Reading anywhere else than in the first row goes beyond the end of the file, or gives zeros.
    GByte mark = 0;
    GDALRasterBand *band = plain.GetRasterBand(1);
    m_bottomUp =
        band != nullptr && plain.GetRasterYSize() > 1 &&
        band->RasterIO(GF_Read, 0, plain.GetRasterYSize() - 1, 1, 1, &mark, 1, 1, GDT_Byte, 0, 0, nullptr) == CE_None &&
        mark == 1;
}

std::shared_ptr<const Georeferencing> Georeferencing::Of(const File &file, const cfa_variable *variable)
{
    auto found = std::make_shared<Georeferencing>();
    std::vector<const cfa_dimension *> dimensions;
    if (!DimensionsOf(variable, dimensions) || dimensions.size() < 2)
        return found;
    const cfa_dimension *y = dimensions[dimensions.size() - 2];
    const cfa_dimension *x = dimensions.back();
    const uint64_t most = static_cast<uint64_t>(INT_MAX);
    if (x == y || cfa_dimension_size(x) == 0 || cfa_dimension_size(x) > most || cfa_dimension_size(y) == 0 ||
        cfa_dimension_size(y) > most)
        return found;
    std::vector<GByte> bytes = StandIn(file, variable, dimensions).Bytes();
    bytes.resize(bytes.size() + HEADER_PIECE, 0);
    const MemoryFile memory(bytes);
    const std::string name = "NETCDF:\"" + memory.Name() + "\":" + DATA;
    const char *const drivers[] = {"netCDF", nullptr};
    // What the driver has to say concerns a file that the user does not know.
    CPLErrorHandlerPusher quiet(CPLQuietErrorHandler);
    CPLErrorStateBackuper state;
    const std::unique_ptr<GDALDataset> plain(
        GDALDataset::Open(name.c_str(), GDAL_OF_RASTER | GDAL_OF_INTERNAL, drivers, nullptr, nullptr));
    if (plain)
        found->TakeFrom(*plain, file, variable);
    else
        CPLDebug("CFA", "the netCDF driver does not tell the georeferencing: %s", CPLGetLastErrorMsg());
    return found;
}

} // namespace cfa_gdal
