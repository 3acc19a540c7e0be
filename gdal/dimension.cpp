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

bool IsPressure(const std::string &units)
{
    return IsOneOf(units, {"bar", "bars", "millibar", "millibars", "decibar", "decibars", "atmosphere", "atmospheres", "atm",
                           "pascal", "pascals", "Pa", "hPa"});
}

bool IsVerticalName(const std::string &standard)
{
    return IsOneOf(standard, {"height", "depth", "altitude", "air_pressure", "atmosphere_ln_pressure_coordinate",
                              "atmosphere_sigma_coordinate", "atmosphere_hybrid_sigma_pressure_coordinate",
                              "atmosphere_hybrid_height_coordinate", "atmosphere_sleve_coordinate", "ocean_sigma_coordinate",
                              "ocean_s_coordinate", "ocean_sigma_z_coordinate", "ocean_double_sigma_coordinate"});
}

} // namespace

Axis AxisOf(const cfa_variable *coordinate)
{
    const std::string standard = TextAttribute(coordinate, "standard_name");
    const std::string described = TextAttribute(coordinate, "long_name");
    const std::string axis = TextAttribute(coordinate, "axis");
    const std::string units = TextAttribute(coordinate, "units");
    const std::string positive = TextAttribute(coordinate, "positive");
    const std::string name = cfa_variable_name(coordinate);
    const bool east = IsOneOf(units, {"degrees_east", "degree_east", "degree_E", "degrees_E", "degreeE", "degreesE"});
    const bool north = IsOneOf(units, {"degrees_north", "degree_north", "degree_N", "degrees_N", "degreeN", "degreesN"});
    // The axes x and y of a projection get no direction: on a polar map they point to none of the compass.
    const Axis x = {GDAL_DIM_TYPE_HORIZONTAL_X, east ? "EAST" : ""};
    const Axis y = {GDAL_DIM_TYPE_HORIZONTAL_Y, north ? "NORTH" : ""};
    if (east || EQUAL(axis.c_str(), "X") || EQUAL(described.c_str(), "longitude") ||
        IsOneOf(standard, {"longitude", "grid_longitude", "projection_x_coordinate", "projection_x_angular_coordinate"}))
        return x;
    if (north || EQUAL(axis.c_str(), "Y") || EQUAL(described.c_str(), "latitude") ||
        IsOneOf(standard, {"latitude", "grid_latitude", "projection_y_coordinate", "projection_y_angular_coordinate"}))
        return y;
    if (EQUAL(standard.c_str(), "time") || EQUAL(axis.c_str(), "T") || units.find(" since ") != std::string::npos)
        return Axis{GDAL_DIM_TYPE_TEMPORAL, ""};
    if (EQUAL(axis.c_str(), "Z") || IsOneOf(positive, {"up", "down"}) || IsVerticalName(standard) || IsPressure(units))
        return Vertical(positive);
    // Names are the last resort: files without attributes often have nothing else.
    if (IsOneOf(name, {"lon", "longitude", "x"}))
        return x;
    if (IsOneOf(name, {"lat", "latitude", "y"}))
        return y;
    // The netCDF driver takes all other units of length for heights.
    if (IsOneOf(units, {"meter", "meters", "m", "kilometer", "kilometers", "km", "level", "layer", "sigma_level"}))
        return Vertical(positive);
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
    const cfa_variable *coordinate = file->IndexingVariableOf(dimension);
    const Axis axis = coordinate == nullptr ? Axis{} : AxisOf(coordinate);
    return std::make_shared<Dimension>(file, dimension, coordinate, axis);
}

std::shared_ptr<GDALMDArray> Dimension::GetIndexingVariable() const
{
    return m_coordinate == nullptr ? nullptr : Array::Create(m_file, m_coordinate);
}

} // namespace cfa_gdal
