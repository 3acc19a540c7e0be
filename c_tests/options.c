/* Option structures: macro and function agree; other sizes are taken; values are checked. */
#include "check.h"

typedef struct {
    cfa_open_options known;
    uint64_t unknown;
} larger_options;

typedef struct {
    cfa_read_options known;
    uint64_t unknown;
} larger_read_options;

static cfa_status open_with(const char *path, const cfa_open_options *options)
{
    cfa_dataset *dataset = NULL;
    cfa_status status = cfa_dataset_open(path, options, &dataset);
    CHECK((status == CFA_OK) == (dataset != NULL));
    cfa_dataset_free(dataset);
    return status;
}

/* Macro and function set the same bytes, in a structure of this version, an older and a newer one; nothing beyond is
   written. */
#define INIT_AGREES(type, MACRO)                                                    \
    do {                                                                            \
        const type##_options macro = MACRO;                                         \
        unsigned char bytes[sizeof macro + 64], zeros[64] = {0};                    \
        size_t sizes[] = {sizeof macro, sizeof macro - 8, sizeof(size_t), sizeof macro + 32}; \
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {                 \
            size_t size = sizes[i], known = size < sizeof macro ? size : sizeof macro, written; \
            memset(bytes, 0xab, sizeof bytes);                                      \
            type##_options_init((type##_options *)(void *)bytes, size);             \
            memcpy(&written, bytes, sizeof written);                                \
            CHECK(written == size);                                                 \
            CHECK(memcmp(bytes + sizeof size, (const char *)&macro + sizeof size, known - sizeof size) == 0); \
            CHECK(memcmp(bytes + known, zeros, size - known) == 0);                 \
            for (size_t k = size; k < sizeof bytes; k++)                            \
                CHECK(bytes[k] == 0xab);                                            \
        }                                                                           \
        memset(bytes, 0xab, sizeof bytes);                                          \
        type##_options_init((type##_options *)(void *)bytes, sizeof(size_t) - 1);   \
        type##_options_init((type##_options *)(void *)bytes, (size_t)-1);           \
        CHECK(bytes[0] == 0xab);                                                    \
        type##_options_init(NULL, sizeof macro);                                    \
    } while (0)

static void macro_and_function_agree(void)
{
    INIT_AGREES(cfa_open, CFA_OPEN_OPTIONS_INIT);
    INIT_AGREES(cfa_read, CFA_READ_OPTIONS_INIT);
    INIT_AGREES(cfa_create, CFA_CREATE_OPTIONS_INIT);
    INIT_AGREES(cfa_check, CFA_CHECK_OPTIONS_INIT);
    INIT_AGREES(cfa_convert, CFA_CONVERT_OPTIONS_INIT);
    INIT_AGREES(cfa_extract, CFA_EXTRACT_OPTIONS_INIT);
}

/* A program of an older header has a structure without the last fields, one of a newer header with more. */
static void structures_of_other_versions_are_made_and_used(const char *path)
{
    cfa_open_options *older = malloc(offsetof(cfa_open_options, settings));
    larger_options *newer = malloc(sizeof *newer);
    CHECK(older != NULL && newer != NULL);
    cfa_open_options_init(older, offsetof(cfa_open_options, settings));
    older->raw_view = CFA_CHOICE_YES;
    CHECK_OK(open_with(path, older));
    older->raw_view = 99;
    CHECK(open_with(path, older) == CFA_ERR_ARGUMENT);
    cfa_open_options_init(&newer->known, sizeof *newer);
    CHECK(newer->known.size == sizeof *newer && newer->unknown == 0);
    CHECK_OK(open_with(path, &newer->known));
    newer->unknown = 1;
    CHECK(open_with(path, &newer->known) == CFA_ERR_ARGUMENT);
    free(older);
    free(newer);
}

static void other_sizes_are_taken(const char *path)
{
    cfa_open_options options = CFA_OPEN_OPTIONS_INIT;
    larger_options larger = {CFA_OPEN_OPTIONS_INIT, 0};
    larger.known.size = sizeof larger;
    CHECK_OK(open_with(path, &larger.known));
    larger.unknown = 1;
    CHECK(open_with(path, &larger.known) == CFA_ERR_ARGUMENT);
    CHECK(strstr(cfa_last_error(), "does not know") != NULL);
    /* A field beyond the size is not looked at. */
    options.size = offsetof(cfa_open_options, raw_view);
    options.raw_view = 99;
    CHECK_OK(open_with(path, &options));
    options.size = sizeof(size_t);
    CHECK_OK(open_with(path, &options));
    for (size_t size = 0; size < sizeof(size_t); size++) {
        options.size = size;
        CHECK(open_with(path, &options) == CFA_ERR_ARGUMENT);
    }
    options.size = (size_t)-1;
    CHECK(open_with(path, &options) == CFA_ERR_ARGUMENT);
}

static void other_sizes_are_taken_by_reads(const char *path)
{
    cfa_dataset *dataset;
    int32_t number = 0;
    larger_read_options larger = {CFA_READ_OPTIONS_INIT, 0};
    larger.known.size = sizeof larger;
    CHECK_OK(cfa_dataset_open(path, NULL, &dataset));
    const cfa_variable *scalar = find(dataset, "scalar");
    CHECK_OK(cfa_variable_read(scalar, NULL, NULL, NULL, NULL, CFA_TYPE_INT32, sizeof number, &number, &larger.known));
    CHECK(number == 42);
    larger.unknown = 1;
    CHECK(cfa_variable_read(scalar, NULL, NULL, NULL, NULL, CFA_TYPE_INT32, sizeof number, &number, &larger.known) ==
          CFA_ERR_ARGUMENT);
    larger.known.size = offsetof(cfa_read_options, lossy);
    larger.known.lossy = 99;
    CHECK_OK(cfa_variable_read(scalar, NULL, NULL, NULL, NULL, CFA_TYPE_INT32, sizeof number, &number, &larger.known));
    cfa_dataset_free(dataset);
}

#define REFUSED(field, value)                                     \
    do {                                                          \
        cfa_open_options options = CFA_OPEN_OPTIONS_INIT;         \
        options.field = value;                                    \
        CHECK(open_with(path, &options) == CFA_ERR_ARGUMENT);     \
        CHECK(cfa_last_error()[0] != 0);                          \
    } while (0)

static void values_are_checked(const char *path)
{
    REFUSED(missing_fragments, 3);
    REFUSED(missing_fragments, -1);
    REFUSED(lossy_casts, 3);
    REFUSED(raw_view, -1);
    REFUSED(num_threads, -1);
    REFUSED(cache_disabled, 7);
    REFUSED(max_open_files, -1);
    REFUSED(max_nesting, -2);
    REFUSED(ignore_environment, 3);
    REFUSED(allowed_sources, "sometimes");
    REFUSED(allowed_sources, "\xff\xfe");
    REFUSED(relocate, "no equals sign");
    cfa_open_options options = CFA_OPEN_OPTIONS_INIT;
    options.cache_disabled = CFA_CHOICE_YES;
    CHECK_OK(open_with(path, &options));
    options.cache_bytes = 1000;
    CHECK(open_with(path, &options) == CFA_ERR_ARGUMENT);
}

static void settings_are_taken_by_name(const char *path)
{
    const char *fill[] = {"MISSING_FRAGMENTS=FILL", "num-threads=ALL_CPUS", "RELOCATE=/a=/b", "FRAGMENT_DRIVERS=NONE", NULL};
    const char *none[] = {NULL};
    const char *wrong[][2] = {{"NO_SUCH=1", NULL}, {"MAX_FRAGMENTS=0", NULL}, {"CACHE_BYTES", NULL},
                              {"MISSING_FRAGMENTS=\xff", NULL}, {"FRAGMENT_DRIVERS=VRT", NULL}};
    const char *named[] = {"NO_SUCH", "MAX_FRAGMENTS", "settings[0]", "settings[0]", "FRAGMENT_DRIVERS"};
    cfa_open_options options = CFA_OPEN_OPTIONS_INIT;
    cfa_dataset *dataset;
    uint64_t start = 0;
    size_t count = 3;
    float values[3];
    options.settings = none;
    CHECK_OK(open_with(path, &options));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        options.settings = wrong[i];
        CHECK(open_with(path, &options) == CFA_ERR_ARGUMENT);
        CHECK(strstr(cfa_last_error(), named[i]) != NULL);
    }
    options.settings = fill;
    CHECK_OK(cfa_dataset_open(path, &options, &dataset));
    CHECK_OK(cfa_variable_read(find(dataset, "gone"), &start, &count, NULL, NULL, CFA_TYPE_FLOAT32, sizeof values, values, NULL));
    CHECK(values[0] > 9e36f);
    cfa_dataset_free(dataset);
    /* A field counts more than the setting of the same name. */
    options.missing_fragments = CFA_MISSING_FRAGMENTS_ERROR;
    CHECK_OK(cfa_dataset_open(path, &options, &dataset));
    CHECK(cfa_variable_read(find(dataset, "gone"), &start, &count, NULL, NULL, CFA_TYPE_FLOAT32, sizeof values, values, NULL) ==
          CFA_ERR_FRAGMENT_MISSING);
    cfa_dataset_free(dataset);
}

static void they_do_what_they_say(const char *path)
{
    cfa_open_options options = CFA_OPEN_OPTIONS_INIT;
    cfa_dataset *dataset;
    const cfa_variable *variable;
    uint64_t start = 0;
    size_t count = 3, warnings;
    float values[3];
    options.missing_fragments = CFA_MISSING_FRAGMENTS_FILL;
    options.num_threads = 1;
    CHECK_OK(cfa_dataset_open(path, &options, &dataset));
    variable = find(dataset, "gone");
    CHECK_OK(cfa_variable_read(variable, &start, &count, NULL, NULL, CFA_TYPE_FLOAT32, sizeof values, values, NULL));
    CHECK(values[0] > 9e36f);
    CHECK_OK(cfa_dataset_warning_count(dataset, &warnings));
    CHECK(warnings > 0);
    cfa_dataset_free(dataset);

    cfa_open_options_init(&options, sizeof options);
    options.raw_view = CFA_CHOICE_YES;
    CHECK_OK(cfa_dataset_open(path, &options, &dataset));
    variable = find(dataset, "tas");
    CHECK(!cfa_variable_is_aggregated(variable));
    CHECK(cfa_variable_dialect(variable) == CFA_DIALECT_NONE);
    CHECK(cfa_variable_attribute_count(variable) == 5);
    CHECK(cfa_dataset_variable_count(dataset) > 15);
    CHECK(cfa_dataset_dimension_count(dataset) == 11);
    cfa_dataset_free(dataset);

    cfa_open_options_init(&options, sizeof options);
    options.substitutions = "nowhere=part_1;${x}=y";
    options.allowed_sources = "SIBLINGS";
    options.max_fragments = 1;
    CHECK_OK(cfa_dataset_open(path, &options, &dataset));
    CHECK(cfa_variable_check(find(dataset, "tas")) == CFA_ERR_LIMIT);
    CHECK_OK(cfa_variable_check(find(dataset, "name")));
    cfa_dataset_free(dataset);
}

static void a_value_for_missing_bytes_is_chosen(const char *path)
{
    const char *chosen[] = {"MISSING_BYTES=100", NULL}, *taken[] = {"MISSING_BYTES=3", NULL};
    cfa_open_options options = CFA_OPEN_OPTIONS_INIT;
    cfa_read_options read = CFA_READ_OPTIONS_INIT;
    cfa_dataset *dataset;
    const cfa_variable *v;
    uint64_t start = 0;
    size_t count = 3;
    int8_t values[3], missing = 0;
    int16_t wide[3];
    uint8_t mask[3];
    int32_t has = 7;
    CHECK_OK(cfa_dataset_open(path, &options, &dataset));
    v = find(dataset, "v");
    CHECK_OK(cfa_variable_missing_value(v, &has, &missing, sizeof missing));
    CHECK(!has && missing == 0);
    CHECK(cfa_variable_read(v, &start, &count, NULL, NULL, CFA_TYPE_INT8, sizeof values, values, NULL) == CFA_ERR_FRAGMENT_TYPE);
    CHECK(strstr(cfa_last_error(), "MISSING_BYTES") && strstr(cfa_last_error(), "validity mask"));
    read.mask = mask;
    read.mask_bytes = sizeof mask;
    CHECK_OK(cfa_variable_read(v, &start, &count, NULL, NULL, CFA_TYPE_INT8, sizeof values, values, &read));
    CHECK(mask[0] == 1 && mask[1] == 0 && mask[2] == 1 && values[2] == 3);
    cfa_dataset_free(dataset);

    options.settings = chosen;
    CHECK_OK(cfa_dataset_open(path, &options, &dataset));
    v = find(dataset, "v");
    CHECK_OK(cfa_variable_missing_value(v, &has, &missing, sizeof missing));
    CHECK(has == 1 && missing == 100);
    CHECK_OK(cfa_variable_read(v, &start, &count, NULL, NULL, CFA_TYPE_INT16, sizeof wide, wide, NULL));
    CHECK(wide[0] == 1 && wide[1] == 100 && wide[2] == 3);
    cfa_dataset_free(dataset);

    options.settings = taken;
    CHECK_OK(cfa_dataset_open(path, &options, &dataset));
    v = find(dataset, "v");
    CHECK(cfa_variable_read(v, &start, &count, NULL, NULL, CFA_TYPE_INT8, sizeof values, values, NULL) == CFA_ERR_FRAGMENT_TYPE);
    CHECK_OK(cfa_variable_read(v, &start, &count, NULL, NULL, CFA_TYPE_INT8, sizeof values, values, &read));
    CHECK(mask[1] == 0 && mask[2] == 1 && values[2] == 3);
    cfa_dataset_free(dataset);
}

int main(int argc, char **argv)
{
    (void)argc;
    const char *path = in_directory(argv, "agg.nc");
    macro_and_function_agree();
    structures_of_other_versions_are_made_and_used(path);
    other_sizes_are_taken(path);
    other_sizes_are_taken_by_reads(path);
    values_are_checked(path);
    settings_are_taken_by_name(path);
    they_do_what_they_say(path);
    a_value_for_missing_bytes_is_chosen(in_directory(argv, "bytes.nc"));
    return 0;
}
