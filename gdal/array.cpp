#include "array.h"

#include "attribute.h"
#include "dimension.h"
#include "georeferencing.h"
#include "name.h"

namespace cfa_gdal
{

namespace
{

// The netCDF driver does not use the default fill value for arrays. Here it is needed, because missing fragments are
// filled with it; not for coordinates, which have no missing data.
bool MayLackData(const File &file, const cfa_variable *variable)
{
    const cfa_dimension *dimension = nullptr;
    return cfa_variable_is_aggregated(variable) &&
           (cfa_variable_dimension(variable, 0, &dimension) != CFA_OK || file.CoordinateOf(dimension) != variable);
}

} // namespace

std::vector<GByte> NoDataOf(const cfa_variable *variable, bool withDefault)
{
    const GDALDataType type = NumericType(SenseOf(variable));
    const cfa_attribute *attribute = nullptr;
    if (type == GDT_Unknown || (!withDefault && cfa_variable_attribute_find(variable, "_FillValue", &attribute) != CFA_OK &&
                                cfa_variable_attribute_find(variable, "missing_value", &attribute) != CFA_OK))
        return {};
    GByte value[8] = {};
    int32_t has = 0;
    if (cfa_variable_missing_value(variable, &has, value, sizeof(value)) != CFA_OK || !has)
        return {};
    std::vector<GByte> noData(static_cast<size_t>(GDALGetDataTypeSizeBytes(type)));
    if (cfa_variable_type(variable) == CFA_TYPE_INT8 && noData.size() == sizeof(GInt16))
    {
        const GInt16 wide = static_cast<signed char>(value[0]);
        memcpy(noData.data(), &wide, sizeof(wide));
    }
    else
    {
        memcpy(noData.data(), value, noData.size());
    }
    return noData;
}

Array::Array(const std::shared_ptr<File> &file, const cfa_variable *variable)
    : GDALAbstractMDArray(cfa_group_path(cfa_variable_group(variable)), cfa_variable_name(variable)),
      GDALPamMDArray(cfa_group_path(cfa_variable_group(variable)), cfa_variable_name(variable), file->Pam()), m_file(file),
      m_variable(variable), m_type(ExtendedType(SenseOf(variable)))
{
    if (const char *unit = cfa_variable_units(variable))
        m_unit = unit;
    m_noData = NoDataOf(variable, MayLackData(*file, variable));
    int32_t hasScale = 0;
    int32_t hasOffset = 0;
    if (cfa_variable_scale_offset(variable, &hasScale, &m_scale, &hasOffset, &m_offset) == CFA_OK)
    {
        m_hasScale = hasScale != 0;
        m_hasOffset = hasOffset != 0;
    }
}

std::shared_ptr<Array> Array::Create(const std::shared_ptr<File> &file, const cfa_variable *variable)
{
    std::vector<const cfa_dimension *> dimensions;
    if (!DimensionsOf(variable, dimensions))
        return nullptr;
    std::shared_ptr<Array> array(new Array(file, variable));
    array->SetSelf(array);
    if (array->IsText() && !dimensions.empty())
        dimensions.pop_back();
    for (const cfa_dimension *dimension : dimensions)
        array->m_dimensions.push_back(Dimension::Create(file, dimension));
    if (cfa_variable_is_aggregated(variable))
    {
        array->m_structure.SetNameValue("DIALECT", DialectName(cfa_variable_dialect(variable)));
        size_t rank = 0;
        if (cfa_variable_rank(variable, &rank) == CFA_OK)
        {
            std::vector<uint64_t> grid(rank);
            std::string text;
            if (cfa_variable_fragment_grid(variable, rank, grid.data()) == CFA_OK)
            {
                for (const uint64_t n : grid)
                    text += (text.empty() ? "" : "x") + std::to_string(n);
                array->m_structure.SetNameValue("FRAGMENTS", text.empty() ? "1" : text.c_str());
            }
        }
    }
    return array;
}

std::vector<GUInt64> Array::GetBlockSize() const
{
    size_t rank = 0;
    std::vector<uint64_t> block(m_dimensions.size() + 1);
    if (cfa_variable_rank(m_variable, &rank) != CFA_OK ||
        cfa_variable_block_shape(m_variable, block.size(), block.data()) != CFA_OK)
        return std::vector<GUInt64>(m_dimensions.size());
    return std::vector<GUInt64>(block.begin(), block.begin() + m_dimensions.size());
}

bool Array::IsShown(const char *attribute) const
{
    for (const char *name : {"_FillValue", "missing_value", "units", "scale_factor", "add_offset", "grid_mapping"})
    {
        if (EQUAL(attribute, name))
            return false;
    }
    const int32_t type = cfa_variable_type(m_variable);
    return !EQUAL(attribute, "_Unsigned") || (type != CFA_TYPE_INT8 && type != CFA_TYPE_INT16);
}

std::vector<std::shared_ptr<GDALAttribute>> Array::GetAttributes(CSLConstList options) const
{
    const bool all = CPLFetchBool(options, "SHOW_ALL", false);
    std::vector<std::shared_ptr<GDALAttribute>> attributes;
    for (size_t i = 0; i < cfa_variable_attribute_count(m_variable); ++i)
    {
        const cfa_attribute *attribute = cfa_variable_attribute(m_variable, i);
        if (all || IsShown(cfa_attribute_name(attribute)))
            attributes.push_back(std::make_shared<Attribute>(GetFullName(), attribute, SenseOf(m_variable, attribute)));
    }
    return attributes;
}

std::shared_ptr<GDALAttribute> Array::GetAttribute(const std::string &name) const
{
    const cfa_attribute *attribute = nullptr;
    if (cfa_variable_attribute_find(m_variable, name.c_str(), &attribute) != CFA_OK)
        return nullptr;
    return std::make_shared<Attribute>(GetFullName(), attribute, SenseOf(m_variable, attribute));
}

const void *Array::GetRawNoDataValue() const
{
    return m_noData.empty() ? nullptr : m_noData.data();
}

double Array::GetOffset(bool *has, GDALDataType *storage) const
{
    if (has)
        *has = m_hasOffset;
    if (storage)
        *storage = m_hasOffset ? GDT_Float64 : GDT_Unknown;
    return m_offset;
}

double Array::GetScale(bool *has, GDALDataType *storage) const
{
    if (has)
        *has = m_hasScale;
    if (storage)
        *storage = m_hasScale ? GDT_Float64 : GDT_Unknown;
    return m_scale;
}

CSLConstList Array::GetStructuralInfo() const
{
    return m_structure.List();
}

std::shared_ptr<OGRSpatialReference> Array::GetSpatialRef() const
{
    if (auto own = GDALPamMDArray::GetSpatialRef())
        return own;
    if (m_dimensions.size() < 2 || m_type.GetClass() != GEDTC_NUMERIC)
        return nullptr;
    const auto georeferencing = m_file->GeoreferencingOf(m_variable);
    if (georeferencing->SpatialReference().IsEmpty())
        return nullptr;
    auto reference = std::make_shared<OGRSpatialReference>(georeferencing->SpatialReference());
    // GDAL counts the dimensions of the array from 1, in the order of the axes of the reference system.
    int x = 0;
    int y = 0;
    for (size_t i = 0; i < m_dimensions.size(); ++i)
    {
        if (m_dimensions[i]->GetType() == GDAL_DIM_TYPE_HORIZONTAL_X)
            x = static_cast<int>(i) + 1;
        else if (m_dimensions[i]->GetType() == GDAL_DIM_TYPE_HORIZONTAL_Y)
            y = static_cast<int>(i) + 1;
    }
    if (x == 0 || y == 0)
    {
        x = static_cast<int>(m_dimensions.size());
        y = x - 1;
    }
    const bool northFirst = reference->GetDataAxisToSRSAxisMapping() == std::vector<int>{2, 1};
    reference->SetDataAxisToSRSAxisMapping(northFirst ? std::vector<int>{y, x} : std::vector<int>{x, y});
    return reference;
}

std::vector<std::shared_ptr<GDALMDArray>> Array::GetCoordinateVariables() const
{
    std::vector<std::shared_ptr<GDALMDArray>> arrays;
    const CPLStringList names(CSLTokenizeString2(TextAttribute(m_variable, "coordinates").c_str(), " \t\n", 0));
    for (int i = 0; i < names.Count(); ++i)
    {
        const cfa_variable *variable = m_file->Resolve(cfa_variable_group(m_variable), names[i]);
        if (variable == nullptr)
            continue;
        if (auto array = Create(m_file, variable))
            arrays.push_back(array);
    }
    return arrays;
}

bool Array::IRead(const GUInt64 *start, const size_t *count, const GInt64 *step, const GPtrDiff_t *stride,
                  const GDALExtendedDataType &type, void *buffer) const
{
    const size_t rank = m_dimensions.size();
    Part part;
    part.start.assign(start, start + rank);
    part.count.assign(count, count + rank);
    part.step.assign(step, step + rank);
    part.stride.assign(stride, stride + rank);
    if (m_type.GetClass() == GEDTC_NUMERIC && type.GetClass() == GEDTC_NUMERIC)
    {
        if (!ReadNumbers(m_variable, std::move(part), type.GetNumericDataType(), buffer))
            return false;
        m_file->TellWarnings();
        return true;
    }
    if (m_type.GetClass() == GEDTC_STRING && type.GetClass() == GEDTC_STRING)
    {
        char **strings = static_cast<char **>(buffer);
        if (!(IsText() ? ReadTexts(m_variable, part, strings) : ReadStrings(m_variable, part, strings)))
            return false;
        m_file->TellWarnings();
        return true;
    }
    CPLError(CE_Failure, CPLE_NotSupported, "CFA: %s: numbers and strings cannot be converted into each other",
             Shown(GetFullName()).c_str());
    return false;
}

bool Array::IAdviseRead(const GUInt64 *start, const size_t *count, CSLConstList) const
{
    if (IsText())
        return true;
    const std::vector<uint64_t> first(start, start + m_dimensions.size());
    if (cfa_variable_advise(m_variable, first.data(), count, nullptr) == CFA_OK)
        return true;
    ReportEngineError();
    return false;
}

} // namespace cfa_gdal
