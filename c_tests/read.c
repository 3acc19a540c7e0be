/* Reads: parts, steps, buffer strides, types, masks, text. Element (t, l) of tas is 10 t + l; (3, 2) is missing. */
#include "check.h"

static void numbers(const cfa_dataset *dataset)
{
    const cfa_variable *tas = find(dataset, "tas");
    uint64_t start[2] = {0, 0}, last[2] = {3, 2};
    size_t all[2] = {4, 3}, some[2] = {2, 2};
    int64_t step[2] = {-2, -1}, two[2] = {2, 2};
    uint8_t mask[12];
    double values[12];
    cfa_read_options options = CFA_READ_OPTIONS_INIT;
    options.mask = mask;
    options.mask_bytes = sizeof mask;
    memset(mask, 9, sizeof mask);
    CHECK_OK(cfa_variable_read(tas, start, all, NULL, NULL, CFA_TYPE_FLOAT64, sizeof values, values, &options));
    for (int i = 0; i < 11; i++)
        CHECK(values[i] == 10 * (i / 3) + i % 3 && mask[i] == 1);
    CHECK(values[11] == -999.0 && mask[11] == 0);

    float backwards[4];
    CHECK_OK(cfa_variable_read(tas, last, some, step, NULL, CFA_TYPE_FLOAT32, sizeof backwards, backwards, NULL));
    CHECK(backwards[0] == -999.0f && backwards[1] == 31.0f && backwards[2] == 12.0f && backwards[3] == 11.0f);

    int16_t apart[4];
    CHECK_OK(cfa_variable_read(tas, start, some, two, NULL, CFA_TYPE_INT16, sizeof apart, apart, NULL));
    CHECK(apart[0] == 0 && apart[1] == 2 && apart[2] == 20 && apart[3] == 22);
}

static void strides(const cfa_dataset *dataset)
{
    const cfa_variable *tas = find(dataset, "tas");
    uint64_t start[2] = {0, 0};
    size_t count[2] = {2, 3};
    int32_t buffer[16];
    ptrdiff_t transposed[2] = {1, 2}, padded[2] = {8, 2}, reversed[2] = {-3, -1};
    cfa_read_options options = CFA_READ_OPTIONS_INIT;
    memset(buffer, 0xff, sizeof buffer);
    CHECK_OK(cfa_variable_read(tas, start, count, NULL, transposed, CFA_TYPE_INT32, 24, buffer, NULL));
    CHECK(buffer[0] == 0 && buffer[1] == 10 && buffer[2] == 1 && buffer[3] == 11 && buffer[5] == 12 && buffer[6] == -1);
    memset(buffer, 0xff, sizeof buffer);
    CHECK_OK(cfa_variable_read(tas, start, count, NULL, padded, CFA_TYPE_INT32, sizeof buffer, buffer, NULL));
    CHECK(buffer[0] == 0 && buffer[1] == -1 && buffer[2] == 1 && buffer[8] == 10 && buffer[12] == 12 && buffer[13] == -1);
    /* Element (0, 0) is the last of the buffer. */
    memset(buffer, 0xff, sizeof buffer);
    options.buffer_start = buffer;
    CHECK_OK(cfa_variable_read(tas, start, count, NULL, reversed, CFA_TYPE_INT32, 24, buffer + 5, &options));
    CHECK(buffer[5] == 0 && buffer[4] == 1 && buffer[0] == 12 && buffer[6] == -1);
    CHECK(cfa_variable_read(tas, start, count, NULL, reversed, CFA_TYPE_INT32, 24, buffer + 4, &options) == CFA_ERR_BUFFER);
    CHECK(cfa_variable_read(tas, start, count, NULL, reversed, CFA_TYPE_INT32, 20, buffer + 5, &options) == CFA_ERR_BUFFER);
    CHECK(cfa_variable_read(tas, start, count, NULL, reversed, CFA_TYPE_INT32, 24, buffer + 5, NULL) == CFA_ERR_BUFFER);
    options.buffer_start = buffer + 6;
    CHECK(cfa_variable_read(tas, start, count, NULL, NULL, CFA_TYPE_INT32, 24, buffer, &options) == CFA_ERR_ARGUMENT);
    CHECK(cfa_variable_read(tas, start, count, NULL, padded, CFA_TYPE_INT32, 51, buffer, NULL) == CFA_ERR_BUFFER);
}

static void text(const cfa_dataset *dataset)
{
    uint64_t start = 0;
    size_t three = 3, five = 5;
    char *names[3] = {NULL, NULL, NULL}, *spread[6] = {NULL, NULL, NULL, NULL, NULL, NULL}, word[5];
    uint8_t mask[3];
    ptrdiff_t backwards = -2;
    cfa_read_options options = CFA_READ_OPTIONS_INIT;
    options.mask = mask;
    options.mask_bytes = sizeof mask;
    CHECK_OK(cfa_variable_read(find(dataset, "name"), &start, &three, NULL, NULL, CFA_TYPE_STRING, sizeof names, names, &options));
    CHECK(strcmp(names[0], "Oslo") == 0 && names[1] == NULL && strcmp(names[2], "Bergen") == 0);
    CHECK(mask[0] == 1 && mask[1] == 0 && mask[2] == 1);
    cfa_strings_free(names, 3);
    CHECK(names[0] == NULL && names[2] == NULL);
    cfa_strings_free(names, 3);
    cfa_strings_free(NULL, 0);
    cfa_strings_free(NULL, 2);
    options.buffer_start = spread;
    CHECK_OK(cfa_variable_read(find(dataset, "stored"), &start, &three, NULL, &backwards, CFA_TYPE_STRING, sizeof spread,
                               spread + 5, &options));
    CHECK(strcmp(spread[5], "ab") == 0 && spread[3] == NULL && strcmp(spread[1], "cde") == 0 && spread[0] == NULL);
    cfa_strings_free(spread, 6);
    CHECK_OK(cfa_variable_read(find(dataset, "word"), &start, &five, NULL, NULL, CFA_TYPE_CHAR, sizeof word, word, NULL));
    CHECK(memcmp(word, "hello", 5) == 0);
    int32_t number;
    CHECK(cfa_variable_read(find(dataset, "word"), &start, &five, NULL, NULL, CFA_TYPE_INT8, 5, word, NULL) == CFA_ERR_TYPE);
    CHECK_OK(cfa_variable_read(find(dataset, "scalar"), NULL, NULL, NULL, NULL, CFA_TYPE_INT32, 4, &number, NULL));
    CHECK(number == 42);
}

/* Strings that share a place could not be freed. Numbers may share one. */
static void shared_places(const cfa_dataset *dataset, const cfa_dataset *part)
{
    uint64_t start[2] = {0, 0}, behind = 2;
    size_t three = 3, one = 1, count[2] = {2, 3};
    ptrdiff_t still = 0, crossed[2] = {2, 1}, woven[2] = {3, 2};
    char *names[8] = {NULL};
    double last;
    const cfa_variable *stored = find(dataset, "stored"), *table = find(part, "table");
    CHECK(cfa_variable_read(stored, start, &three, NULL, &still, CFA_TYPE_STRING, sizeof names, names, NULL) == CFA_ERR_ARGUMENT);
    CHECK(strstr(cfa_last_error(), "buffer_stride") != NULL);
    CHECK(cfa_variable_read(table, start, count, NULL, crossed, CFA_TYPE_STRING, sizeof names, names, NULL) == CFA_ERR_ARGUMENT);
    for (int i = 0; i < 8; i++)
        CHECK(names[i] == NULL);
    CHECK_OK(cfa_variable_read(table, start, count, NULL, woven, CFA_TYPE_STRING, sizeof names, names, NULL));
    CHECK(strcmp(names[0], "a") == 0 && strcmp(names[2], "b") == 0 && strcmp(names[4], "c") == 0);
    CHECK(strcmp(names[3], "d") == 0 && strcmp(names[5], "e") == 0 && strcmp(names[7], "f") == 0);
    CHECK(names[1] == NULL && names[6] == NULL);
    cfa_strings_free(names, 8);
    CHECK_OK(cfa_variable_read(stored, &behind, &one, NULL, &still, CFA_TYPE_STRING, sizeof names[0], names, NULL));
    CHECK(strcmp(names[0], "cde") == 0);
    cfa_strings_free(names, 1);
    CHECK_OK(cfa_variable_read(find(dataset, "same"), start, &three, NULL, &still, CFA_TYPE_FLOAT64, sizeof last, &last, NULL));
    CHECK(last == 7.5);
}

static void types(const cfa_dataset *dataset)
{
    uint64_t start = 0;
    size_t three = 3;
    int8_t bytes[3];
    double values[3];
    char *strings[3];
    cfa_read_options options = CFA_READ_OPTIONS_INIT;
    const cfa_variable *same = find(dataset, "same"), *packed = find(dataset, "packed");
    CHECK_OK(cfa_variable_read(same, &start, &three, NULL, NULL, CFA_TYPE_FLOAT64, sizeof values, values, NULL));
    CHECK(values[2] == 7.5);
    CHECK_OK(cfa_variable_read(packed, &start, &three, NULL, NULL, CFA_TYPE_FLOAT64, sizeof values, values, NULL));
    CHECK(values[0] == 2.0 && values[1] == -1.0);
    CHECK(cfa_variable_read(same, &start, &three, NULL, NULL, CFA_TYPE_INT8, sizeof bytes, bytes, NULL) == CFA_ERR_TYPE);
    options.lossy = CFA_CHOICE_YES;
    CHECK_OK(cfa_variable_read(same, &start, &three, NULL, NULL, CFA_TYPE_INT8, sizeof bytes, bytes, &options));
    CHECK(bytes[0] == 7);
    CHECK(cfa_variable_read(same, &start, &three, NULL, NULL, CFA_TYPE_STRING, sizeof strings, strings, NULL) == CFA_ERR_TYPE);
    CHECK(cfa_variable_read(same, &start, &three, NULL, NULL, CFA_TYPE_CHAR, sizeof bytes, bytes, NULL) == CFA_ERR_TYPE);
    CHECK(cfa_variable_read(find(dataset, "stored"), &start, &three, NULL, NULL, CFA_TYPE_FLOAT64, sizeof values, values,
                            NULL) == CFA_ERR_TYPE);
}

static void unpacked(const cfa_dataset *dataset)
{
    uint64_t start = 0, last = 2;
    size_t three = 3;
    int64_t back = -1;
    double values[3] = {7, 7, 7};
    const cfa_variable *packed = find(dataset, "packed");
    CHECK(cfa_variable_unpacked_type(packed) == CFA_TYPE_FLOAT64 && cfa_variable_unpacked_type(NULL) == 0);
    CHECK(cfa_variable_unpacked_type(find(dataset, "stored")) == CFA_TYPE_STRING);
    CHECK_OK(cfa_variable_read_unpacked(packed, &start, &three, NULL, 3, values));
    CHECK(values[0] == 11.0 && values[1] != values[1] && values[2] == 12.0);
    CHECK_OK(cfa_variable_read_unpacked(packed, &last, &three, &back, 3, values));
    CHECK(values[0] == 12.0 && values[1] != values[1] && values[2] == 11.0);
    CHECK_OK(cfa_variable_read_unpacked(find(dataset, "lat"), &start, &three, NULL, 3, values));
    CHECK(values[0] == -45.0 && values[2] == 45.0);
    CHECK(cfa_variable_read_unpacked(packed, &start, &three, NULL, 2, values) == CFA_ERR_BUFFER);
    CHECK(cfa_variable_read_unpacked(packed, &start, &three, NULL, 3, NULL) == CFA_ERR_ARGUMENT);
    CHECK(cfa_variable_read_unpacked(find(dataset, "stored"), &start, &three, NULL, 3, values) == CFA_ERR_TYPE);
    CHECK(cfa_variable_read_unpacked(find(dataset, "gone"), &start, &three, NULL, 3, values) == CFA_ERR_FRAGMENT_MISSING);
    three = 4;
    CHECK(cfa_variable_read_unpacked(packed, &start, &three, NULL, 4, values) == CFA_ERR_ARGUMENT);
    CHECK(values[0] == -45.0);
}

static void errors(const cfa_dataset *dataset)
{
    float values[3];
    uint64_t start = 0;
    size_t three = 3;
    CHECK(cfa_variable_read(find(dataset, "gone"), &start, &three, NULL, NULL, CFA_TYPE_FLOAT32, sizeof values, values, NULL) ==
          CFA_ERR_FRAGMENT_MISSING);
    CHECK(strstr(cfa_last_error(), "nowhere.nc") && strstr(cfa_last_error(), "fragment [0]"));
    CHECK(cfa_variable_read(find(dataset, "bad"), &start, &three, NULL, NULL, CFA_TYPE_FLOAT32, sizeof values, values, NULL) ==
          CFA_ERR_MISSING_VARIABLE);
    CHECK_OK(cfa_variable_advise(find(dataset, "lat"), &start, &three, NULL));
    three = 4;
    CHECK(cfa_variable_advise(find(dataset, "lat"), &start, &three, NULL) == CFA_ERR_ARGUMENT);
}

int main(int argc, char **argv)
{
    (void)argc;
    cfa_dataset *dataset = open_file(argv, "agg.nc");
    numbers(dataset);
    strides(dataset);
    text(dataset);
    cfa_dataset *part = open_file(argv, "part_1.nc");
    shared_places(dataset, part);
    cfa_dataset_free(part);
    types(dataset);
    unpacked(dataset);
    errors(dataset);
    cfa_dataset_free(dataset);
    return 0;
}
