/* Reads of unpacked numbers, selections by coordinates, and searches by name. */
#include "check.h"
#include <math.h>

static cfa_status read_3(const cfa_variable *variable, int32_t type, size_t bytes, void *values, const cfa_read_options *options)
{
    uint64_t start = 0;
    size_t count = 3;
    return cfa_variable_read(variable, &start, &count, NULL, NULL, type, bytes, values, options);
}

static void missing_numbers_are_nan(const cfa_dataset *dataset)
{
    const cfa_variable *tas = find(dataset, "tas");
    uint64_t start[] = {2, 0};
    size_t count[] = {2, 3};
    ptrdiff_t transposed[] = {1, 2};
    float values[6];
    double wide[6];
    int32_t whole[6];
    uint8_t mask[6];
    cfa_read_options options = CFA_READ_OPTIONS_INIT;
    options.missing_as_nan = CFA_CHOICE_YES;
    CHECK_OK(cfa_variable_read(tas, start, count, NULL, NULL, CFA_TYPE_FLOAT32, sizeof values, values, &options));
    CHECK(values[0] == 20 && values[3] == 30 && values[4] == 31 && isnan(values[5]));
    options.mask = mask;
    options.mask_bytes = sizeof mask;
    CHECK_OK(cfa_variable_read(tas, start, count, NULL, transposed, CFA_TYPE_FLOAT64, sizeof wide, wide, &options));
    CHECK(wide[0] == 20 && wide[1] == 30 && wide[3] == 31 && isnan(wide[5]));
    CHECK(mask[0] == 1 && mask[4] == 1 && mask[5] == 0);
    /* No other type has NaN. */
    CHECK(cfa_variable_read(tas, start, count, NULL, NULL, CFA_TYPE_INT32, sizeof whole, whole, &options) == CFA_ERR_TYPE);
    options.missing_as_nan = CFA_CHOICE_NO;
    CHECK_OK(cfa_variable_read(tas, start, count, NULL, NULL, CFA_TYPE_FLOAT32, sizeof values, values, &options));
    CHECK(values[5] == -999);
    options.missing_as_nan = 3;
    CHECK(cfa_variable_read(tas, start, count, NULL, NULL, CFA_TYPE_FLOAT32, sizeof values, values, &options) ==
          CFA_ERR_ARGUMENT);
}

static void numbers_are_unpacked_on_request(const cfa_dataset *dataset)
{
    const cfa_variable *packed = find(dataset, "packed");
    double wide[3];
    float values[3];
    int32_t whole[3];
    char *strings[3];
    uint8_t mask[3];
    cfa_read_options options = CFA_READ_OPTIONS_INIT;
    options.unpacked = CFA_CHOICE_YES;
    CHECK_OK(read_3(packed, CFA_TYPE_FLOAT64, sizeof wide, wide, &options));
    CHECK(wide[0] == 11 && isnan(wide[1]) && wide[2] == 12);
    CHECK_OK(read_3(packed, CFA_TYPE_FLOAT32, sizeof values, values, &options));
    CHECK(values[0] == 11 && isnan(values[1]) && values[2] == 12);
    /* Missing data of a type without NaN need a mask. */
    CHECK(read_3(packed, CFA_TYPE_INT32, sizeof whole, whole, &options) == CFA_ERR_TYPE);
    options.mask = mask;
    options.mask_bytes = sizeof mask;
    CHECK_OK(read_3(packed, CFA_TYPE_INT32, sizeof whole, whole, &options));
    CHECK(whole[0] == 11 && whole[2] == 12 && mask[0] == 1 && mask[1] == 0 && mask[2] == 1);
    CHECK(read_3(packed, CFA_TYPE_FLOAT64, sizeof wide - 1, wide, &options) == CFA_ERR_BUFFER);
    options.mask_bytes = 2;
    CHECK(read_3(packed, CFA_TYPE_FLOAT64, sizeof wide, wide, &options) == CFA_ERR_BUFFER);
    options.mask = NULL;
    /* Text is not unpacked. */
    CHECK(read_3(find(dataset, "stored"), CFA_TYPE_STRING, sizeof strings, strings, &options) == CFA_ERR_TYPE);
    CHECK(read_3(find(dataset, "word"), CFA_TYPE_CHAR, 3, strings, &options) == CFA_ERR_TYPE);
    CHECK(read_3(find(dataset, "word"), CFA_TYPE_FLOAT64, sizeof wide, wide, &options) == CFA_ERR_TYPE);
    options.unpacked = -1;
    CHECK(read_3(packed, CFA_TYPE_FLOAT64, sizeof wide, wide, &options) == CFA_ERR_ARGUMENT);
}

static int32_t stop(double fraction, void *user_data)
{
    (void)fraction;
    ++*(int *)user_data;
    return 0;
}

/* Strides that go backward in memory, no elements, numbers cut to integers, and a stopped read. */
static void unpacked_reads_are_like_others(const cfa_dataset *dataset)
{
    const cfa_variable *packed = find(dataset, "packed");
    uint64_t start[] = {0};
    size_t count[] = {3}, none[] = {0};
    int64_t step[] = {1};
    ptrdiff_t backwards[] = {-1};
    double wide[3] = {0, 0, 0};
    int8_t narrow[3];
    uint8_t mask[3];
    int calls = 0;
    cfa_read_options options = CFA_READ_OPTIONS_INIT;
    options.unpacked = CFA_CHOICE_YES;
    options.missing_as_nan = CFA_CHOICE_YES;
    options.buffer_start = wide;
    CHECK_OK(cfa_variable_read(packed, start, count, step, backwards, CFA_TYPE_FLOAT64, sizeof wide, &wide[2], &options));
    CHECK(wide[2] == 11 && isnan(wide[1]) && wide[0] == 12);
    options.buffer_start = NULL;
    CHECK(cfa_variable_read(packed, start, count, step, backwards, CFA_TYPE_FLOAT64, sizeof wide, wide, &options) ==
          CFA_ERR_BUFFER);
    CHECK_OK(cfa_variable_read(packed, start, none, NULL, NULL, CFA_TYPE_FLOAT64, 0, NULL, &options));
    options.missing_as_nan = CFA_CHOICE_DEFAULT;
    options.mask = mask;
    options.mask_bytes = sizeof mask;
    CHECK_OK(cfa_variable_read(packed, start, count, NULL, NULL, CFA_TYPE_INT8, sizeof narrow, narrow, &options));
    CHECK(narrow[0] == 11 && narrow[2] == 12 && mask[1] == 0);
    options.progress = stop;
    options.user_data = &calls;
    CHECK(cfa_variable_read(packed, start, count, NULL, NULL, CFA_TYPE_FLOAT64, sizeof wide, wide, &options) ==
          CFA_ERR_CANCELLED);
    CHECK(calls > 0);
}

static void parts_are_chosen_by_coordinates(char **argv)
{
    cfa_dataset *dataset = open_file(argv, "day_1.nc");
    const cfa_variable *tas = find(dataset, "tas");
    const char *second[] = {"time=2001-01-02", "lat=0..90", NULL}, *none[] = {NULL};
    const char *odd[][2] = {{"time", NULL}, {"height=2", NULL}, {"lat=north", NULL}, {"lat=91", NULL}, {"\xff=1", NULL}};
    uint64_t start[2] = {9, 9};
    size_t count[2] = {9, 9};
    float values[2];
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        CHECK(cfa_variable_select(tas, odd[i], 2, start, count) == CFA_ERR_ARGUMENT);
    CHECK(cfa_variable_select(tas, second, 1, start, count) == CFA_ERR_BUFFER);
    CHECK(cfa_variable_select(tas, second, 2, NULL, count) == CFA_ERR_ARGUMENT);
    CHECK(cfa_variable_select(tas, second, 2, start, NULL) == CFA_ERR_ARGUMENT);
    CHECK(cfa_variable_select(NULL, second, 2, start, count) == CFA_ERR_ARGUMENT);
    CHECK(start[0] == 9 && count[1] == 9);
    CHECK_OK(cfa_variable_select(tas, second, 2, start, count));
    CHECK(start[0] == 1 && count[0] == 1 && start[1] == 1 && count[1] == 2);
    CHECK_OK(cfa_variable_read(tas, start, count, NULL, NULL, CFA_TYPE_FLOAT32, sizeof values, values, NULL));
    CHECK(values[0] == 11 && values[1] == 12);
    CHECK_OK(cfa_variable_select(tas, none, 2, start, count));
    CHECK(start[0] == 0 && count[0] == 2 && count[1] == 3);
    CHECK_OK(cfa_variable_select(tas, NULL, 2, start, count));
    cfa_dataset_free(dataset);
    dataset = open_file(argv, "agg.nc");
    CHECK_OK(cfa_variable_select(find(dataset, "scalar"), NULL, 0, NULL, NULL));
    CHECK(cfa_variable_select(find(dataset, "scalar"), second, 0, NULL, NULL) == CFA_ERR_ARGUMENT);
    cfa_dataset_free(dataset);
}

static void groups_and_dimensions_are_found(const cfa_dataset *dataset)
{
    static const char *const roots[] = {"/", ""}, *const inner[] = {"inner", "/inner", "/inner/"};
    const cfa_group *group = NULL, *kept;
    const cfa_dimension *dimension = NULL;
    for (size_t i = 0; i < 2; i++) {
        CHECK_OK(cfa_dataset_group_find(dataset, roots[i], &group));
        CHECK(group == cfa_dataset_root(dataset));
    }
    for (size_t i = 0; i < 3; i++) {
        CHECK_OK(cfa_dataset_group_find(dataset, inner[i], &group));
        CHECK(group == cfa_group_group(cfa_dataset_root(dataset), 0));
    }
    CHECK_OK(cfa_dataset_group_find(dataset, "inner/deeper", &group));
    CHECK(strcmp(cfa_group_path(group), "/inner/deeper") == 0);
    kept = group;
    CHECK(cfa_dataset_group_find(dataset, "outer", &group) == CFA_ERR_NOT_FOUND && group == kept);
    CHECK(strstr(cfa_last_error(), "/inner/deeper") != NULL);
    CHECK(cfa_dataset_group_find(dataset, NULL, &group) == CFA_ERR_ARGUMENT);
    CHECK(cfa_dataset_group_find(dataset, "inner", NULL) == CFA_ERR_ARGUMENT);
    CHECK(cfa_dataset_group_find(NULL, "inner", &group) == CFA_ERR_ARGUMENT);

    CHECK_OK(cfa_dataset_dimension_find(dataset, "time", &dimension));
    CHECK(dimension == cfa_dataset_dimension(dataset, 0) && cfa_dimension_size(dimension) == 4);
    CHECK_OK(cfa_dataset_dimension_find(dataset, "/inner/x", &dimension));
    CHECK(strcmp(cfa_dimension_path(dimension), "/inner/x") == 0);
    CHECK_OK(cfa_dataset_dimension_find(dataset, "f_time", &dimension));
    CHECK(cfa_dataset_dimension_find(dataset, "x", &dimension) == CFA_ERR_NOT_FOUND);
    CHECK(strstr(cfa_last_error(), "inner/x") != NULL && strstr(cfa_last_error(), "f_time") == NULL);
    CHECK(cfa_dataset_dimension_find(dataset, "", &dimension) == CFA_ERR_NOT_FOUND);
    CHECK(cfa_dataset_dimension_find(dataset, NULL, &dimension) == CFA_ERR_ARGUMENT);
    CHECK(cfa_dataset_dimension_find(dataset, "time", NULL) == CFA_ERR_ARGUMENT);
    CHECK(cfa_dataset_dimension_find(NULL, "time", &dimension) == CFA_ERR_ARGUMENT);
}

/* Every setting accepts its default; forms, words and defaults agree. */
static void the_settings_are_listed(const char *path)
{
    size_t count = cfa_setting_count(), words = 0;
    CHECK(count > 15 && cfa_setting_at(count) == NULL);
    for (size_t i = 0; i < count; i++) {
        const cfa_setting *setting = cfa_setting_at(i);
        char entry[512];
        const char *list[] = {entry, NULL};
        cfa_open_options options = CFA_OPEN_OPTIONS_INIT;
        cfa_dataset *dataset = NULL;
        CHECK(setting != NULL && setting->description[0] != 0);
        CHECK(setting->form >= CFA_SETTING_TEXT && setting->form <= CFA_SETTING_WORD);
        CHECK((setting->form == CFA_SETTING_WORD) == (setting->words[0] != 0));
        CHECK((setting->form == CFA_SETTING_BOOLEAN) <= (strcmp(setting->default_value, "NO") == 0));
        words += setting->form == CFA_SETTING_WORD && strstr(setting->words, setting->default_value) != NULL;
        snprintf(entry, sizeof entry, "%s=%s", setting->name, setting->default_value);
        options.settings = list;
        CHECK_OK(cfa_dataset_open(path, &options, &dataset));
        cfa_dataset_free(dataset);
    }
    CHECK(words == 2);
}

int main(int argc, char **argv)
{
    (void)argc;
    cfa_dataset *dataset = open_file(argv, "agg.nc");
    missing_numbers_are_nan(dataset);
    numbers_are_unpacked_on_request(dataset);
    unpacked_reads_are_like_others(dataset);
    groups_and_dimensions_are_found(dataset);
    cfa_dataset_free(dataset);
    parts_are_chosen_by_coordinates(argv);
    the_settings_are_listed(in_directory(argv, "agg.nc"));
    return 0;
}
