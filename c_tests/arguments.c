/* NULL, out of range, unknown numbers, too small: an error code and a message; outputs stay as they were. */
#include "check.h"

#define REFUSED(call)                      \
    do {                                   \
        CHECK((call) == CFA_ERR_ARGUMENT); \
        CHECK(cfa_last_error()[0] != 0);   \
    } while (0)

static void null_handles(void)
{
    size_t size = 7;
    uint64_t numbers[4] = {7, 7, 7, 7};
    int32_t flag = 7;
    double real = 7;
    char text[8] = "same";
    const char *string = text;
    const cfa_variable *variable = NULL;
    const cfa_attribute *attribute = NULL;
    const cfa_dimension *dimension = NULL;
    CHECK(!cfa_dataset_name(NULL) && !cfa_dataset_root(NULL) && !cfa_dataset_variable(NULL, 0));
    CHECK(!cfa_dataset_dimension(NULL, 0) && !cfa_dataset_variable_count(NULL) && !cfa_dataset_dimension_count(NULL));
    CHECK(!cfa_group_name(NULL) && !cfa_group_path(NULL) && !cfa_group_parent(NULL) && !cfa_group_group_count(NULL));
    CHECK(!cfa_group_group(NULL, 0) && !cfa_group_dimension_count(NULL) && !cfa_group_dimension(NULL, 0));
    CHECK(!cfa_group_variable_count(NULL) && !cfa_group_variable(NULL, 0) && !cfa_group_attribute_count(NULL));
    CHECK(!cfa_group_attribute(NULL, 0) && !cfa_dimension_name(NULL) && !cfa_dimension_path(NULL));
    CHECK(!cfa_dimension_size(NULL) && !cfa_dimension_is_unlimited(NULL) && !cfa_dimension_group(NULL));
    CHECK(!cfa_variable_name(NULL) && !cfa_variable_path(NULL) && !cfa_variable_group(NULL) && !cfa_variable_type(NULL));
    CHECK(!cfa_variable_attribute_count(NULL) && !cfa_variable_attribute(NULL, 0) && !cfa_variable_is_aggregated(NULL));
    CHECK(!cfa_variable_dialect(NULL) && !cfa_variable_units(NULL) && !cfa_attribute_name(NULL));
    CHECK(!cfa_attribute_type(NULL) && !cfa_attribute_length(NULL) && !cfa_attribute_text(NULL));
    CHECK(strstr(cfa_last_error(), "NULL") != NULL);
    cfa_dataset_free(NULL);

    REFUSED(cfa_dataset_variable_find(NULL, "x", &variable));
    REFUSED(cfa_dataset_warning_count(NULL, &size));
    REFUSED(cfa_dataset_warning_copy(NULL, 0, text, sizeof text, &size));
    REFUSED(cfa_group_attribute_find(NULL, "x", &attribute));
    REFUSED(cfa_variable_check(NULL));
    REFUSED(cfa_variable_rank(NULL, &size));
    REFUSED(cfa_variable_shape(NULL, 4, numbers));
    REFUSED(cfa_variable_dimension(NULL, 0, &dimension));
    REFUSED(cfa_variable_attribute_find(NULL, "x", &attribute));
    REFUSED(cfa_variable_missing_value(NULL, &flag, &real, sizeof real));
    REFUSED(cfa_variable_scale_offset(NULL, &flag, &real, &flag, &real));
    REFUSED(cfa_variable_block_shape(NULL, 4, numbers));
    REFUSED(cfa_variable_fragment_grid(NULL, 4, numbers));
    REFUSED(cfa_variable_fragment_range(NULL, numbers, numbers, numbers));
    REFUSED(cfa_variable_fragment_version_count(NULL, numbers, &size));
    REFUSED(cfa_variable_fragment_location(NULL, numbers, 0, text, sizeof text, &size));
    REFUSED(cfa_variable_fragment_identifier(NULL, numbers, 0, text, sizeof text, &size));
    REFUSED(cfa_attribute_string(NULL, 0, &string));
    REFUSED(cfa_attribute_read(NULL, CFA_TYPE_FLOAT64, &real, sizeof real));
    REFUSED(cfa_variable_read(NULL, numbers, NULL, NULL, NULL, CFA_TYPE_FLOAT64, sizeof real, &real, NULL));
    REFUSED(cfa_variable_read_unpacked(NULL, numbers, NULL, NULL, 1, &real));
    REFUSED(cfa_variable_advise(NULL, numbers, NULL, NULL));
    REFUSED(cfa_file_identify(NULL, &flag, &flag));
    REFUSED(cfa_time_format(NULL, NULL, 0, text, sizeof text, &size));
    CHECK(size == 7 && numbers[0] == 7 && flag == 7 && real == 7 && strcmp(text, "same") == 0 && string == text);
    CHECK(!variable && !attribute && !dimension);
}

static void null_outputs(char **argv, const cfa_dataset *dataset)
{
    const cfa_variable *tas = find(dataset, "tas");
    const cfa_attribute *units;
    uint64_t index[2] = {0, 0};
    size_t count[2] = {1, 1};
    char *none = NULL;
    CHECK_OK(cfa_variable_attribute_find(tas, "units", &units));
    REFUSED(cfa_dataset_open(in_directory(argv, "agg.nc"), NULL, NULL));
    REFUSED(cfa_file_identify(in_directory(argv, "agg.nc"), NULL, NULL));
    REFUSED(cfa_dataset_variable_find(dataset, "tas", NULL));
    REFUSED(cfa_dataset_variable_find(dataset, NULL, &tas));
    REFUSED(cfa_dataset_warning_count(dataset, NULL));
    REFUSED(cfa_group_attribute_find(cfa_dataset_root(dataset), "title", NULL));
    REFUSED(cfa_group_attribute_find(cfa_dataset_root(dataset), NULL, &units));
    REFUSED(cfa_variable_rank(tas, NULL));
    REFUSED(cfa_variable_shape(tas, 2, NULL));
    REFUSED(cfa_variable_dimension(tas, 0, NULL));
    REFUSED(cfa_variable_attribute_find(tas, "units", NULL));
    REFUSED(cfa_variable_missing_value(tas, NULL, NULL, 0));
    REFUSED(cfa_variable_block_shape(tas, 2, NULL));
    REFUSED(cfa_variable_fragment_grid(tas, 2, NULL));
    REFUSED(cfa_variable_fragment_range(tas, NULL, index, index));
    REFUSED(cfa_variable_fragment_range(tas, index, NULL, index));
    REFUSED(cfa_variable_fragment_version_count(tas, index, NULL));
    REFUSED(cfa_variable_fragment_location(tas, index, 0, NULL, 0, NULL));
    REFUSED(cfa_variable_fragment_location(tas, index, 0, NULL, 9, count));
    REFUSED(cfa_attribute_string(units, 0, NULL));
    REFUSED(cfa_attribute_read(units, CFA_TYPE_CHAR, NULL, 9));
    count[0] = count[1] = 1;
    REFUSED(cfa_variable_read(tas, NULL, count, NULL, NULL, CFA_TYPE_FLOAT32, 4, index, NULL));
    REFUSED(cfa_variable_read(tas, index, NULL, NULL, NULL, CFA_TYPE_FLOAT32, 4, index, NULL));
    REFUSED(cfa_variable_read(tas, index, count, NULL, NULL, CFA_TYPE_FLOAT32, 4, none, NULL));
    count[0] = 0;
    CHECK_OK(cfa_variable_read(tas, index, count, NULL, NULL, CFA_TYPE_FLOAT32, 0, NULL, NULL));
}

static void parts(const cfa_dataset *dataset)
{
    const cfa_variable *tas = find(dataset, "tas");
    uint64_t start[2] = {0, 0}, far[2] = {UINT64_MAX, 0};
    size_t count[2] = {4, 3}, many[2] = {SIZE_MAX, SIZE_MAX};
    int64_t zero[2] = {1, 0}, two[2] = {2, 1}, least[2] = {INT64_MIN, 1};
    ptrdiff_t wide[2] = {PTRDIFF_MAX, 1}, deep[2] = {PTRDIFF_MIN, 1};
    float values[12];
    uint8_t mask[12];
    cfa_read_options options = CFA_READ_OPTIONS_INIT;
    REFUSED(cfa_variable_read(tas, far, count, NULL, NULL, CFA_TYPE_FLOAT32, sizeof values, values, NULL));
    REFUSED(cfa_variable_read(tas, start, many, NULL, NULL, CFA_TYPE_FLOAT32, sizeof values, values, NULL));
    REFUSED(cfa_variable_read(tas, start, count, zero, NULL, CFA_TYPE_FLOAT32, sizeof values, values, NULL));
    REFUSED(cfa_variable_read(tas, start, count, two, NULL, CFA_TYPE_FLOAT32, sizeof values, values, NULL));
    REFUSED(cfa_variable_read(tas, start, count, least, NULL, CFA_TYPE_FLOAT32, sizeof values, values, NULL));
    REFUSED(cfa_variable_read(tas, start, count, NULL, NULL, 0, sizeof values, values, NULL));
    REFUSED(cfa_variable_read(tas, start, count, NULL, NULL, 13, sizeof values, values, NULL));
    REFUSED(cfa_variable_read(tas, start, count, NULL, NULL, INT32_MIN, sizeof values, values, NULL));
    CHECK(cfa_variable_read(tas, start, count, NULL, NULL, CFA_TYPE_FLOAT32, 47, values, NULL) == CFA_ERR_BUFFER);
    CHECK(cfa_variable_read(tas, start, count, NULL, NULL, CFA_TYPE_FLOAT32, 0, values, NULL) == CFA_ERR_BUFFER);
    CHECK(cfa_variable_read(tas, start, count, NULL, wide, CFA_TYPE_FLOAT32, sizeof values, values, NULL) == CFA_ERR_BUFFER);
    CHECK(cfa_variable_read(tas, start, count, NULL, deep, CFA_TYPE_FLOAT32, sizeof values, values, NULL) == CFA_ERR_BUFFER);
    options.mask = mask;
    options.mask_bytes = 11;
    CHECK(cfa_variable_read(tas, start, count, NULL, NULL, CFA_TYPE_FLOAT32, sizeof values, values, &options) == CFA_ERR_BUFFER);
    options.mask_bytes = 12;
    options.lossy = 4;
    REFUSED(cfa_variable_read(tas, start, count, NULL, NULL, CFA_TYPE_FLOAT32, sizeof values, values, &options));
    options.lossy = CFA_CHOICE_DEFAULT;
    options.reserved = 1;
    REFUSED(cfa_variable_read(tas, start, count, NULL, NULL, CFA_TYPE_FLOAT32, sizeof values, values, &options));
    options.reserved = 0;
    options.size = 3;
    REFUSED(cfa_variable_read(tas, start, count, NULL, NULL, CFA_TYPE_FLOAT32, sizeof values, values, &options));
    options.size = offsetof(cfa_read_options, mask_bytes);
    CHECK(cfa_variable_read(tas, start, count, NULL, NULL, CFA_TYPE_FLOAT32, sizeof values, values, &options) == CFA_ERR_BUFFER);
}

static void names_of_numbers(void)
{
    static const int32_t codes[] = {CFA_OK, CFA_ERR_ARGUMENT, CFA_ERR_CYCLE, 1, -19, INT32_MIN, INT32_MAX};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        CHECK(cfa_status_name(codes[i])[0] && cfa_status_category(codes[i])[0]);
    CHECK(strcmp(cfa_status_name(CFA_ERR_UNITS), "CFA_ERR_UNITS") == 0);
    CHECK(strcmp(cfa_status_category(CFA_ERR_FRAGMENT_MISSING), "fragment-missing") == 0);
    CHECK(strcmp(cfa_status_category(12345), "unknown") == 0);
    CHECK(cfa_type_size(CFA_TYPE_INT8) == 1 && cfa_type_size(CFA_TYPE_FLOAT64) == 8 && cfa_type_size(CFA_TYPE_STRING) == sizeof(char *));
    CHECK(cfa_type_size(0) == 0 && cfa_type_size(13) == 0 && cfa_type_size(INT32_MIN) == 0);
    CHECK(strcmp(cfa_type_name(CFA_TYPE_UINT16), "ushort") == 0 && strcmp(cfa_type_name(-5), "unknown") == 0);
}

int main(int argc, char **argv)
{
    (void)argc;
    cfa_dataset *dataset = NULL;
    CHECK(cfa_last_error()[0] == 0);
    CHECK(cfa_dataset_open(in_directory(argv, "absent.nc"), NULL, &dataset) == CFA_ERR_IO && !dataset);
    CHECK(strstr(cfa_last_error(), "absent.nc") != NULL);
    CHECK(cfa_dataset_open(in_directory(argv, "agg.cdl"), NULL, &dataset) == CFA_ERR_NOT_NETCDF && !dataset);
    null_handles();
    names_of_numbers();
    dataset = open_file(argv, "agg.nc");
    const cfa_variable *variable = NULL;
    CHECK(cfa_dataset_variable_find(dataset, "absent", &variable) == CFA_ERR_NOT_FOUND && !variable);
    CHECK(strstr(cfa_last_error(), "tas") != NULL);
    CHECK(cfa_dataset_variable_find(dataset, "", &variable) == CFA_ERR_NOT_FOUND);
    CHECK(cfa_dataset_variable_find(dataset, "\xff", &variable) == CFA_ERR_ARGUMENT);
    CHECK(cfa_dataset_warning_copy(dataset, 1000, NULL, 0, NULL) == CFA_ERR_NOT_FOUND);
    null_outputs(argv, dataset);
    parts(dataset);
    cfa_dataset_free(dataset);
    return 0;
}
