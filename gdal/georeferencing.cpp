#include "georeferencing.h"

#include <map>

#include "classic_file.h"
#include "metadata.h"
#include "name.h"
#include "types.h"

namespace cfa_gdal
{

namespace
{

// The limit for columns and rows together of a raster whose coordinates are read: they are copied as a whole, and a
// hostile file may claim more than it stores.
constexpr uint64_t MOST_COORDINATES = 3 << 19;

using Type = ClassicFile::Type;

// The file that the netCDF driver gets: coordinates, grid mapping, and one row of the data. It has no groups, so
// variables may have other names in it.
class StandIn
{
  public:
    StandIn(const File &file, const cfa_variable *variable, const std::vector<const cfa_dimension *> &dimensions)
        : m_file(file), m_variable(variable), m_group(cfa_variable_group(variable)), m_y(dimensions[dimensions.size() - 2]),
          m_x(dimensions.back())
    {
        const cfa_group *root = cfa_dataset_root(file.Dataset());
        for (size_t i = 0; i < cfa_group_attribute_count(root); ++i)
            m_out.AddAttribute(-1, cfa_group_attribute(root, i));
        m_numbers[m_y] = m_out.AddDimension(cfa_dimension_name(m_y), cfa_dimension_size(m_y));
        m_numbers[m_x] = m_out.AddDimension(cfa_dimension_name(m_x), cfa_dimension_size(m_x));
        Add(file.CoordinateOf(m_y, m_group));
        Add(file.CoordinateOf(m_x, m_group));
        const std::string mapping = AddNamed("grid_mapping");
        const std::string coordinates = AddNamed("coordinates");
        AddData(mapping, coordinates);
        // Coordinates with two dimensions have no data here: the file may end after the row of the data.
        for (const cfa_variable *surface : m_surfaces)
            Write(surface, false);
    }

    std::vector<GByte> Bytes() const
    {
        return m_out.Bytes();
    }

    // Returns the variable that has this name in the file; NULL if there is none.
    const cfa_variable *Named(const std::string &name) const
    {
        for (const auto &item : m_names)
        {
            if (item.second == name)
                return item.first;
        }
        return nullptr;
    }

    // Returns the name that a variable has in the file; NULL if it is not there.
    const std::string *NameOf(const cfa_variable *variable) const
    {
        const auto found = m_names.find(variable);
        return found == m_names.end() ? nullptr : &found->second;
    }

  private:
    // Returns none for a variable with other dimensions than those of the raster: only its attributes matter.
    std::vector<int> DimensionNumbers(const cfa_variable *variable) const
    {
        std::vector<int> numbers;
        size_t rank = 0;
        if (cfa_variable_rank(variable, &rank) != CFA_OK || rank > 2)
            return {};
        for (size_t i = 0; i < rank; ++i)
        {
            const cfa_dimension *dimension = nullptr;
            if (cfa_variable_dimension(variable, i, &dimension) != CFA_OK)
                return {};
            const auto found = m_numbers.find(dimension);
            if (found == m_numbers.end())
                return {};
            numbers.push_back(found->second);
        }
        return numbers;
    }

    // Adds the variables that an attribute of the data names. Returns its text with their names in the file.
    std::string AddNamed(const char *attribute)
    {
        const char *const blanks = " \t\n";
        const std::string text = TextAttribute(m_variable, attribute);
        std::string renamed;
        for (size_t begin = 0; begin < text.size();)
        {
            const size_t word = std::min(text.find_first_not_of(blanks, begin), text.size());
            const size_t end = std::min(text.find_first_of(blanks, word), text.size());
            // "mapping: x y" names a mapping and the coordinates that it is for.
            const bool colon = end > word && text[end - 1] == ':';
            const std::string name = text.substr(word, end - word - (colon ? 1 : 0));
            const cfa_variable *named = name.empty() ? nullptr : m_file.Resolve(m_group, name);
            Add(named);
            const auto here = m_names.find(named);
            renamed += text.substr(begin, word - begin) + (here == m_names.end() ? name : here->second) + (colon ? ":" : "");
            begin = end;
        }
        return renamed;
    }

    void Add(const cfa_variable *variable)
    {
        if (variable == nullptr || variable == m_variable || m_names.count(variable) != 0)
            return;
        std::string name = cfa_variable_name(variable);
        // Another group may have one of the same name.
        while (Named(name) != nullptr)
            name += "_";
        m_names[variable] = name;
        const size_t rank = DimensionNumbers(variable).size();
        if (rank == 2)
            m_surfaces.push_back(variable);
        else
            Write(variable, rank == 1);
    }

    void Write(const cfa_variable *variable, bool withData)
    {
        const bool number = NumericType(cfa_variable_type(variable)) != GDT_Unknown;
        // The driver tolerates more uneven steps in single precision.
        const Type type = !number                                                    ? Type::Char
                          : cfa_variable_unpacked_type(variable) == CFA_TYPE_FLOAT32 ? Type::Float
                                                                                     : Type::Double;
        const int out = m_out.AddVariable(m_names[variable], DimensionNumbers(variable), type);
        const bool unpacks = withData && number && IsPacked(variable);
        for (size_t i = 0; i < cfa_variable_attribute_count(variable); ++i)
        {
            const cfa_attribute *attribute = cfa_variable_attribute(variable, i);
            if (!unpacks || !SaysStorage(attribute))
                m_out.AddAttribute(out, attribute);
        }
        if (!withData || !number)
            return;
        // Numbers that were never written are those of the file: the driver then tries other attributes.
        std::vector<double> values;
        if ((unpacks ? ReadUnpacked(variable, values) : ReadStored(variable, values)) && !values.empty())
            m_out.SetData(out, values);
    }

    void AddData(const std::string &mapping, const std::string &coordinates)
    {
        const int out = m_out.AddVariable(PlainRaster::VARIABLE, {m_numbers[m_y], m_numbers[m_x]}, Type::Byte);
        if (!mapping.empty())
            m_out.AddText(out, "grid_mapping", mapping);
        if (!coordinates.empty())
            m_out.AddText(out, "coordinates", coordinates);
        // The driver also looks for a reference system of the data, and for attributes that make it skip checks of names.
        for (const char *name : {"crs", "res", "transform"})
        {
            const cfa_attribute *attribute = nullptr;
            if (cfa_variable_attribute_find(m_variable, name, &attribute) == CFA_OK)
                m_out.AddAttribute(out, attribute);
        }
        // A mark that identifies the first row.
        m_out.SetData(out, std::vector<double>(static_cast<size_t>(cfa_dimension_size(m_x)), 1.0));
    }

    const File &m_file;
    const cfa_variable *m_variable;
    const cfa_group *m_group;
    const cfa_dimension *m_y;
    const cfa_dimension *m_x;
    ClassicFile m_out{};
    std::map<const cfa_dimension *, int> m_numbers{};
    std::map<const cfa_variable *, std::string> m_names{};
    std::vector<const cfa_variable *> m_surfaces{};
};

} // namespace

std::shared_ptr<const Georeferencing> Georeferencing::Of(const File &file, const cfa_variable *variable)
{
    auto found = std::make_shared<Georeferencing>();
    std::vector<const cfa_dimension *> dimensions;
    if (!DimensionsOf(variable, dimensions) || dimensions.size() < 2)
        return found;
    const cfa_dimension *y = dimensions[dimensions.size() - 2];
    const cfa_dimension *x = dimensions.back();
    if (x == y || cfa_dimension_size(x) == 0 || cfa_dimension_size(x) > MOST_COORDINATES || cfa_dimension_size(y) == 0 ||
        cfa_dimension_size(y) > MOST_COORDINATES - cfa_dimension_size(x))
        return found;
    const StandIn standIn(file, variable, dimensions);
    PlainRaster &plain = found->m_plain;
    if (!plain.Find(standIn.Bytes()))
        return found;
    for (const cfa_dimension *dimension : {x, y})
    {
        const cfa_variable *coordinate = file.CoordinateOf(dimension, cfa_variable_group(variable));
        const std::string *name = standIn.NameOf(coordinate);
        if (name != nullptr && !TextAttribute(coordinate, "units").empty() &&
            plain.units.FetchNameValue((*name + "#units").c_str()) == nullptr)
            found->m_withdrawn.push_back(NameIn(cfa_variable_group(coordinate), cfa_variable_name(coordinate)) + "#units");
    }
    for (const char *key : {"X_DATASET", "Y_DATASET"})
    {
        // The arrays are in the aggregation file, not in the one that was made up.
        const char *name = plain.geolocation.FetchNameValue(key);
        if (const cfa_variable *array = name == nullptr ? nullptr : standIn.Named(name))
            plain.geolocation.SetNameValue(key, Name::Of(file.Path(), cfa_variable_path(array)).c_str());
    }
    return found;
}

} // namespace cfa_gdal
