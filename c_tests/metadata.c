/* The view of a file: groups, dimensions, variables, attributes, fragments. */
#include "check.h"

static void versions_agree(void)
{
    char text[64];
    snprintf(text, sizeof text, "%d.%d.%d", CFA_VERSION_MAJOR, CFA_VERSION_MINOR, CFA_VERSION_PATCH);
    CHECK(strcmp(cfa_version_string(), text) == 0);
    CHECK(cfa_version_number() == CFA_VERSION_MAJOR * 10000 + CFA_VERSION_MINOR * 100 + CFA_VERSION_PATCH);
    CHECK(strncmp(cfa_version_features(), "read", 4) == 0);
}

static void identify(char **argv)
{
    int32_t is = -1, dialect = -1;
    CHECK_OK(cfa_file_identify(in_directory(argv, "agg.nc"), &is, &dialect));
    CHECK(is == 1 && dialect == CFA_DIALECT_CF_1_13);
    CHECK_OK(cfa_file_identify(in_directory(argv, "part_1.nc"), &is, &dialect));
    CHECK(is == 0 && dialect == CFA_DIALECT_NONE);
    CHECK_OK(cfa_file_identify(in_directory(argv, "agg.nc"), &is, NULL));
    CHECK(cfa_file_identify(in_directory(argv, "agg.cdl"), &is, &dialect) == CFA_ERR_NOT_NETCDF);
    CHECK(cfa_file_identify(in_directory(argv, "absent.nc"), &is, &dialect) == CFA_ERR_IO);
    CHECK(is == 1 && dialect == CFA_DIALECT_NONE);
}

static void the_view_hides_how_data_are_aggregated(const cfa_dataset *dataset)
{
    static const char *const shown[] = {"/tas",    "/name", "/gone",   "/same",   "/bad",         "/lat",
                                        "/packed", "/word", "/stored", "/scalar", "/inner/count", "/inner/deeper/flag"};
    size_t n = sizeof shown / sizeof shown[0], found = 0;
    CHECK(cfa_dataset_variable_count(dataset) == n);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            found += strcmp(cfa_variable_path(cfa_dataset_variable(dataset, i)), shown[k]) == 0;
    CHECK(found == n);
    CHECK(cfa_dataset_variable(dataset, n) == NULL);
    /* Still there for who knows its name. */
    CHECK(!cfa_variable_is_aggregated(find(dataset, "tas_map")));

    CHECK(cfa_dataset_dimension_count(dataset) == 5);
    CHECK(cfa_dataset_dimension(dataset, 5) == NULL);
    const cfa_dimension *time = cfa_dataset_dimension(dataset, 0);
    CHECK(strcmp(cfa_dimension_name(time), "time") == 0);
    CHECK(strcmp(cfa_dimension_path(time), "/time") == 0);
    CHECK(cfa_dimension_is_unlimited(time) == 1);
    CHECK(cfa_dimension_size(time) == 4);
    CHECK(cfa_dimension_group(time) == cfa_dataset_root(dataset));
    const cfa_attribute *attribute;
    CHECK(cfa_variable_attribute_find(find(dataset, "tas"), "aggregated_data", &attribute) == CFA_ERR_NOT_FOUND);
    CHECK(cfa_variable_attribute_count(find(dataset, "tas")) == 3);
}

static void groups(const cfa_dataset *dataset)
{
    const cfa_group *root = cfa_dataset_root(dataset);
    CHECK(strcmp(cfa_group_name(root), "") == 0 && strcmp(cfa_group_path(root), "/") == 0);
    CHECK(cfa_group_parent(root) == NULL);
    CHECK(cfa_group_variable_count(root) == 10 && cfa_group_dimension_count(root) == 4);
    CHECK(cfa_group_attribute_count(root) == 2);
    CHECK(strcmp(cfa_attribute_name(cfa_group_attribute(root, 1)), "title") == 0);
    CHECK(cfa_group_attribute(root, 2) == NULL);
    CHECK(cfa_group_group_count(root) == 1 && cfa_group_group(root, 1) == NULL);
    const cfa_group *inner = cfa_group_group(root, 0), *deeper = cfa_group_group(inner, 0);
    CHECK(strcmp(cfa_group_path(deeper), "/inner/deeper") == 0 && strcmp(cfa_group_name(deeper), "deeper") == 0);
    CHECK(cfa_group_parent(deeper) == inner && cfa_group_parent(inner) == root);
    CHECK(strcmp(cfa_dimension_path(cfa_group_dimension(inner, 0)), "/inner/x") == 0);
    const cfa_variable *count = cfa_group_variable(inner, 0);
    CHECK(cfa_variable_group(count) == inner && count == find(dataset, "/inner/count"));
    const cfa_attribute *note;
    CHECK_OK(cfa_group_attribute_find(inner, "note", &note));
    CHECK(strcmp(cfa_attribute_text(note), "inside") == 0);
    CHECK(cfa_group_attribute_find(inner, "absent", &note) == CFA_ERR_NOT_FOUND);
}

static const cfa_attribute *attribute_of(const cfa_variable *variable, const char *name)
{
    const cfa_attribute *attribute;
    CHECK_OK(cfa_variable_attribute_find(variable, name, &attribute));
    return attribute;
}

static void attributes(const cfa_dataset *dataset)
{
    static const struct {
        const char *name;
        int32_t type;
        double value;
    } numbers[] = {
        {"a_byte", CFA_TYPE_INT8, -1},       {"a_ubyte", CFA_TYPE_UINT8, 255},       {"a_short", CFA_TYPE_INT16, -300},
        {"a_ushort", CFA_TYPE_UINT16, 65535}, {"an_int", CFA_TYPE_INT32, -70000},     {"a_uint", CFA_TYPE_UINT32, 4000000000.0},
        {"an_int64", CFA_TYPE_INT64, -5e9},  {"a_uint64", CFA_TYPE_UINT64, 18446744073709551615.0},
        {"a_float", CFA_TYPE_FLOAT32, 0.5},  {"a_double", CFA_TYPE_FLOAT64, 0.25},
    };
    const cfa_variable *scalar = find(dataset, "scalar");
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        const cfa_attribute *attribute = attribute_of(scalar, numbers[i].name);
        double values[2];
        CHECK(cfa_attribute_type(attribute) == numbers[i].type);
        CHECK_OK(cfa_attribute_read(attribute, CFA_TYPE_FLOAT64, values, sizeof values));
        CHECK(values[0] == numbers[i].value);
        CHECK(cfa_attribute_text(attribute) == NULL);
    }
    uint64_t large;
    int64_t small;
    int8_t bytes[2];
    CHECK_OK(cfa_attribute_read(attribute_of(scalar, "a_uint64"), CFA_TYPE_UINT64, &large, sizeof large));
    CHECK(large == UINT64_MAX);
    CHECK(cfa_attribute_read(attribute_of(scalar, "a_uint64"), CFA_TYPE_INT64, &small, sizeof small) == CFA_ERR_TYPE);
    CHECK(cfa_attribute_read(attribute_of(scalar, "a_float"), CFA_TYPE_INT64, &small, sizeof small) == CFA_ERR_TYPE);
    CHECK_OK(cfa_attribute_read(attribute_of(scalar, "a_byte"), CFA_TYPE_INT8, bytes, sizeof bytes));
    CHECK(bytes[0] == -1 && bytes[1] == 2);
    CHECK(cfa_attribute_read(attribute_of(scalar, "a_byte"), CFA_TYPE_INT8, bytes, 1) == CFA_ERR_BUFFER);
    CHECK(cfa_attribute_read(attribute_of(scalar, "a_byte"), 99, bytes, 2) == CFA_ERR_ARGUMENT);
    CHECK(cfa_attribute_read(attribute_of(scalar, "a_byte"), CFA_TYPE_STRING, bytes, 2) == CFA_ERR_TYPE);

    const cfa_attribute *text = attribute_of(scalar, "a_text"), *list = attribute_of(scalar, "strings");
    char letters[64] = {0};
    const char *string;
    CHECK(strcmp(cfa_attribute_text(text), "words \"and\" more") == 0);
    CHECK(cfa_attribute_length(text) == strlen(cfa_attribute_text(text)));
    CHECK_OK(cfa_attribute_read(text, CFA_TYPE_CHAR, letters, sizeof letters));
    CHECK(strcmp(letters, cfa_attribute_text(text)) == 0);
    CHECK(cfa_attribute_read(text, CFA_TYPE_INT32, letters, sizeof letters) == CFA_ERR_TYPE);
    CHECK(cfa_attribute_string(text, 0, &string) == CFA_ERR_TYPE);
    CHECK(strcmp(cfa_attribute_text(attribute_of(scalar, "one_string")), "alone") == 0);
    CHECK(cfa_attribute_type(list) == CFA_TYPE_STRING && cfa_attribute_length(list) == 3);
    CHECK(cfa_attribute_text(list) == NULL);
    CHECK_OK(cfa_attribute_string(list, 2, &string));
    CHECK(strcmp(string, "third") == 0);
    CHECK(cfa_attribute_string(list, 3, &string) == CFA_ERR_NOT_FOUND);
    CHECK(cfa_variable_attribute(scalar, cfa_variable_attribute_count(scalar)) == NULL);
}

static void variables(const cfa_dataset *dataset)
{
    const cfa_variable *tas = find(dataset, "/tas"), *packed = find(dataset, "packed");
    uint64_t shape[2] = {0, 0};
    size_t rank = 0;
    int32_t has = -1, has_offset = -1;
    float fill = 0;
    int16_t mark = 0;
    double scale = 0, offset = 0;
    const cfa_dimension *dimension;
    CHECK(cfa_variable_is_aggregated(tas) == 1 && cfa_variable_dialect(tas) == CFA_DIALECT_CF_1_13);
    CHECK(strcmp(cfa_variable_name(tas), "tas") == 0 && cfa_variable_type(tas) == CFA_TYPE_FLOAT32);
    CHECK_OK(cfa_variable_check(tas));
    CHECK_OK(cfa_variable_rank(tas, &rank));
    CHECK(rank == 2);
    CHECK_OK(cfa_variable_shape(tas, 2, shape));
    CHECK(shape[0] == 4 && shape[1] == 3);
    CHECK(cfa_variable_shape(tas, 1, shape) == CFA_ERR_BUFFER);
    CHECK_OK(cfa_variable_dimension(tas, 1, &dimension));
    CHECK(strcmp(cfa_dimension_name(dimension), "lat") == 0);
    CHECK(cfa_variable_dimension(tas, 2, &dimension) == CFA_ERR_NOT_FOUND);
    CHECK(strcmp(cfa_variable_units(tas), "K") == 0 && cfa_variable_units(packed) == NULL);
    CHECK_OK(cfa_variable_missing_value(tas, &has, &fill, sizeof fill));
    CHECK(has == 1 && fill == -999.0f);
    CHECK(cfa_variable_missing_value(tas, &has, &fill, 3) == CFA_ERR_BUFFER);
    CHECK_OK(cfa_variable_missing_value(packed, &has, &mark, sizeof mark));
    CHECK(has == 1 && mark == -1);
    CHECK_OK(cfa_variable_missing_value(find(dataset, "stored"), &has, NULL, 0));
    CHECK(has == 0);
    CHECK_OK(cfa_variable_scale_offset(packed, &has, &scale, &has_offset, &offset));
    CHECK(has == 1 && scale == 0.5 && has_offset == 1 && offset == 10.0);
    CHECK_OK(cfa_variable_scale_offset(tas, &has, &scale, &has_offset, &offset));
    CHECK(has == 0 && scale == 1.0 && has_offset == 0 && offset == 0.0);
    CHECK_OK(cfa_variable_scale_offset(packed, NULL, NULL, NULL, NULL));
    CHECK_OK(cfa_variable_block_shape(tas, 2, shape));
    CHECK(shape[0] == 1 && shape[1] == 2);
    CHECK_OK(cfa_variable_block_shape(find(dataset, "gone"), 1, shape));
    CHECK(shape[0] == 3);
    CHECK_OK(cfa_variable_rank(find(dataset, "scalar"), &rank));
    CHECK(rank == 0);
    CHECK_OK(cfa_variable_shape(find(dataset, "scalar"), 0, NULL));
    CHECK_OK(cfa_variable_block_shape(find(dataset, "scalar"), 0, NULL));

    const cfa_variable *bad = find(dataset, "bad");
    rank = 77;
    CHECK(cfa_variable_check(bad) == CFA_ERR_MISSING_VARIABLE);
    CHECK(strstr(cfa_last_error(), "/bad") && strstr(cfa_last_error(), "agg.nc") && !strchr(cfa_last_error(), '\n'));
    CHECK(cfa_variable_rank(bad, &rank) == CFA_ERR_MISSING_VARIABLE && rank == 77);
    CHECK(cfa_variable_is_aggregated(bad) == 1 && cfa_variable_dialect(bad) == CFA_DIALECT_NONE);
}

static void fragments(const cfa_dataset *dataset)
{
    const cfa_variable *tas = find(dataset, "tas");
    uint64_t grid[2], start[2], count[2], second[2] = {1, 0}, beyond[2] = {2, 0}, first = 0;
    size_t versions, needed = 0;
    char text[32];
    CHECK_OK(cfa_variable_fragment_grid(tas, 2, grid));
    CHECK(grid[0] == 2 && grid[1] == 1);
    CHECK(cfa_variable_fragment_grid(tas, 1, grid) == CFA_ERR_BUFFER);
    CHECK(cfa_variable_fragment_grid(find(dataset, "lat"), 1, grid) == CFA_ERR_TYPE);
    CHECK_OK(cfa_variable_fragment_range(tas, second, start, count));
    CHECK(start[0] == 2 && count[0] == 2 && start[1] == 0 && count[1] == 3);
    CHECK(cfa_variable_fragment_range(tas, beyond, start, count) == CFA_ERR_NOT_FOUND);
    CHECK_OK(cfa_variable_fragment_version_count(tas, second, &versions));
    CHECK(versions == 1);
    CHECK_OK(cfa_variable_fragment_version_count(find(dataset, "same"), &first, &versions));
    CHECK(versions == 0);
    CHECK_OK(cfa_variable_fragment_location(tas, second, 0, NULL, 0, &needed));
    CHECK(needed == strlen("part_2.nc") + 1);
    CHECK(cfa_variable_fragment_location(tas, second, 0, text, needed - 1, &needed) == CFA_ERR_BUFFER);
    CHECK_OK(cfa_variable_fragment_location(tas, second, 0, text, needed, NULL));
    CHECK(strcmp(text, "part_2.nc") == 0);
    CHECK_OK(cfa_variable_fragment_identifier(tas, second, 0, text, sizeof text, &needed));
    CHECK(strcmp(text, "temperature") == 0 && needed == strlen(text) + 1);
    CHECK(cfa_variable_fragment_identifier(tas, second, 1, text, sizeof text, NULL) == CFA_ERR_NOT_FOUND);
}

static void times(void)
{
    char text[64];
    size_t needed = 0;
    CHECK_OK(cfa_time_format("days since 2001-02-28", NULL, 1.5, text, sizeof text, &needed));
    CHECK(strcmp(text, "2001-03-01 12:00:00") == 0 && needed == strlen(text) + 1);
    CHECK_OK(cfa_time_format("days since 2001-02-28", "360_day", 1.5, text, sizeof text, NULL));
    CHECK(strcmp(text, "2001-02-29 12:00:00") == 0);
    CHECK(cfa_time_format("metres", NULL, 1.5, text, sizeof text, NULL) == CFA_ERR_UNITS);
    CHECK(cfa_time_format("days since 2001-02-28", "aztec", 1.5, text, sizeof text, NULL) == CFA_ERR_CALENDAR);
    CHECK(cfa_time_format("days since 2001-02-28", NULL, 1.5, text, 5, NULL) == CFA_ERR_BUFFER);
}

int main(int argc, char **argv)
{
    (void)argc;
    cfa_dataset *dataset = open_file(argv, "agg.nc");
    CHECK(strstr(cfa_dataset_name(dataset), "agg.nc") != NULL);
    versions_agree();
    identify(argv);
    the_view_hides_how_data_are_aggregated(dataset);
    groups(dataset);
    attributes(dataset);
    variables(dataset);
    fragments(dataset);
    times();
    cfa_dataset_free(dataset);
    return 0;
}
