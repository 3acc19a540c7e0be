#include "dimension.h"

#include "array.h"

namespace cfa_gdal
{

namespace
{

bool IsOneOf(const std::string &text, std::initializer_list<const char *> words)
{
    for (const char *word : words)
    {
        if (EQUAL(text.c_str(), word))
            return true;
    }
    return false;
}

Axis Vertical(const std::string &positive)
{
    return Axis{GDAL_DIM_TYPE_VERTICAL, EQUAL(positive.c_str(), "up")     ? "UP"
                                        : EQUAL(positive.c_str(), "down") ? "DOWN"
                                                                          : ""};
}

} // namespace

Axis AxisOf(const cfa_variable *coordinate)
{
    const std::string standard = TextAttribute(coordinate, "standard_name");
    const std::string axis = TextAttribute(coordinate, "axis");
    const std::string units = TextAttribute(coordinate, "units");
    const std::string positive = TextAttribute(coordinate, "positive");
    const std::string name = cfa_variable_name(coordinate);
    if (IsOneOf(standard, {"longitude", "grid_longitude", "projection_x_coordinate", "projection_x_angular_coordinate"}) ||
        EQUAL(axis.c_str(), "X") ||
        IsOneOf(units, {"degrees_east", "degree_east", "degree_E", "degrees_E", "degreeE", "degreesE"}))
        return Axis{GDAL_DIM_TYPE_HORIZONTAL_X, "EAST"};
    if (IsOneOf(standard, {"latitude", "grid_latitude", "projection_y_coordinate", "projection_y_angular_coordinate"}) ||
        EQUAL(axis.c_str(), "Y") ||
        IsOneOf(units, {"degrees_north", "degree_north", "degree_N", "degrees_N", "degreeN", "degreesN"}))
        return Axis{GDAL_DIM_TYPE_HORIZONTAL_Y, "NORTH"};
    if (EQUAL(standard.c_str(), "time") || EQUAL(axis.c_str(), "T") || units.find(" since ") != std::string::npos)
        return Axis{GDAL_DIM_TYPE_TEMPORAL, ""};
    if (EQUAL(axis.c_str(), "Z") || IsOneOf(positive, {"up", "down"}) ||
        IsOneOf(standard, {"height", "depth", "altitude", "air_pressure"}))
        return Vertical(positive);
    // Names serve last: files without attributes often have nothing else.
    if (IsOneOf(name, {"lon", "longitude", "x"}))
        return Axis{GDAL_DIM_TYPE_HORIZONTAL_X, ""};
    if (IsOneOf(name, {"lat", "latitude", "y"}))
        return Axis{GDAL_DIM_TYPE_HORIZONTAL_Y, ""};
    return Axis{};
}

Dimension::Dimension(const std::shared_ptr<File> &file, const cfa_dimension *dimension, const cfa_variable *coordinate,
                     const Axis &axis)
    : GDALDimension(cfa_group_path(cfa_dimension_group(dimension)), cfa_dimension_name(dimension), axis.type, axis.direction,
                    cfa_dimension_size(dimension)),
      m_file(file), m_coordinate(coordinate)
{
}

std::shared_ptr<Dimension> Dimension::Create(const std::shared_ptr<File> &file, const cfa_dimension *dimension)
{
    const cfa_variable *coordinate = file->CoordinateOf(dimension);
    const Axis axis = coordinate == nullptr ? Axis{} : AxisOf(coordinate);
    return std::make_shared<Dimension>(file, dimension, coordinate, axis);
}

std::shared_ptr<GDALMDArray> Dimension::GetIndexingVariable() const
{
    return m_coordinate == nullptr ? nullptr : Array::Create(m_file, m_coordinate);
}

} // namespace cfa_gdal
