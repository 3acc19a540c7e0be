/* Prints a part of a variable as one line of JSON.

       cfa_read FILE VARIABLE [START COUNT STEP]

   START, COUNT and STEP are lists such as 0,10,20; empty or absent ones mean the whole variable. Missing values are
   null. An error is printed as {"error": CATEGORY, "message": TEXT}, with exit status 1. */

#include <cfa.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The most dimensions that netCDF has ever allowed. */
#define MOST 1024

static void print_text(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < ' ')
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

static int fail(cfa_status status, const char *message)
{
    printf("{\"error\": ");
    print_text(cfa_status_category(status));
    printf(", \"message\": ");
    print_text(message);
    printf("}\n");
    return EXIT_FAILURE;
}

/* A float is printed as the double that it equals. */
static void print_float(double value)
{
    if (isnan(value))
        printf("\"NaN\"");
    else if (isinf(value))
        printf(value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
    else
        printf("%.17g", value);
}

/* A NUL is the end of a word, shown as no letter; bytes beyond ASCII are taken as Latin-1. */
static void print_letter(unsigned char c)
{
    char text[2] = {0, 0};
    text[0] = (char)c;
    if (c < 128)
        print_text(text);
    else
        printf("\"\\u%04x\"", c);
}

static void print_value(const void *buffer, int32_t type, size_t i)
{
    switch (type) {
    case CFA_TYPE_INT8: printf("%" PRId8, ((const int8_t *)buffer)[i]); break;
    case CFA_TYPE_UINT8: printf("%" PRIu8, ((const uint8_t *)buffer)[i]); break;
    case CFA_TYPE_INT16: printf("%" PRId16, ((const int16_t *)buffer)[i]); break;
    case CFA_TYPE_UINT16: printf("%" PRIu16, ((const uint16_t *)buffer)[i]); break;
    case CFA_TYPE_INT32: printf("%" PRId32, ((const int32_t *)buffer)[i]); break;
    case CFA_TYPE_UINT32: printf("%" PRIu32, ((const uint32_t *)buffer)[i]); break;
    case CFA_TYPE_INT64: printf("%" PRId64, ((const int64_t *)buffer)[i]); break;
    case CFA_TYPE_UINT64: printf("%" PRIu64, ((const uint64_t *)buffer)[i]); break;
    case CFA_TYPE_FLOAT32: print_float((double)((const float *)buffer)[i]); break;
    case CFA_TYPE_FLOAT64: print_float(((const double *)buffer)[i]); break;
    case CFA_TYPE_CHAR: print_letter(((const unsigned char *)buffer)[i]); break;
    default: print_text(((char *const *)buffer)[i]);
    }
}

static const char *code_of(int32_t type)
{
    static const char *const codes[] = {"?",  "i1", "u1", "i2", "u2",   "i4", "u4",
                                        "i8", "u8", "f4", "f8", "char", "str"};
    return type >= CFA_TYPE_INT8 && type <= CFA_TYPE_STRING ? codes[type] : codes[0];
}

/* Reads a list of numbers; returns how many there are. */
static size_t parse(const char *text, int64_t *numbers)
{
    size_t n = 0;
    while (text && *text && n < MOST) {
        char *end;
        numbers[n++] = strtoll(text, &end, 10);
        text = *end == ',' ? end + 1 : "";
    }
    return n;
}

static int print_variable(const cfa_variable *variable, char **lists)
{
    static uint64_t start[MOST], shape[MOST];
    static int64_t number[MOST], step[MOST];
    static size_t count[MOST];
    cfa_read_options options = CFA_READ_OPTIONS_INIT;
    int32_t type = cfa_variable_type(variable);
    size_t rank, n, i, elements = 1;
    cfa_status status = cfa_variable_rank(variable, &rank);
    if (status == CFA_OK)
        status = cfa_variable_shape(variable, MOST, shape);
    if (status != CFA_OK)
        return fail(status, cfa_last_error());
    for (i = 0; i < rank; i++) {
        count[i] = (size_t)shape[i];
        step[i] = 1;
    }
    if (lists) {
        n = parse(lists[0], number);
        for (i = 0; i < n; i++)
            start[i] = (uint64_t)number[i];
        n = parse(lists[1], number);
        for (i = 0; i < n; i++)
            count[i] = (size_t)number[i];
        n = parse(lists[2], number);
        for (i = 0; i < n; i++)
            step[i] = number[i];
    }
    for (i = 0; i < rank; i++)
        elements *= count[i];

    void *buffer = calloc(elements + 1, cfa_type_size(type));
    options.mask = malloc(elements + 1);
    options.mask_bytes = elements;
    if (!buffer || !options.mask)
        return fail(CFA_ERR_LIMIT, "no memory");
    status = cfa_variable_read(variable, start, count, step, NULL, type, elements * cfa_type_size(type), buffer, &options);
    if (status != CFA_OK) {
        free(buffer);
        free(options.mask);
        return fail(status, cfa_last_error());
    }
    printf("{\"dtype\": \"%s\", \"shape\": [", code_of(type));
    for (i = 0; i < rank; i++)
        printf("%s%zu", i ? ", " : "", count[i]);
    printf("], \"dims\": [");
    for (i = 0; i < rank; i++) {
        const cfa_dimension *dimension;
        if (cfa_variable_dimension(variable, i, &dimension) == CFA_OK) {
            printf("%s", i ? ", " : "");
            print_text(cfa_dimension_name(dimension));
        }
    }
    printf("], \"values\": [");
    for (i = 0; i < elements; i++) {
        printf("%s", i ? ", " : "");
        if (options.mask[i] || type == CFA_TYPE_CHAR)
            print_value(buffer, type, i);
        else
            printf("null");
    }
    printf("]}\n");
    if (type == CFA_TYPE_STRING)
        cfa_strings_free(buffer, elements);
    free(buffer);
    free(options.mask);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    cfa_dataset *dataset;
    const cfa_variable *variable;
    cfa_status status;
    int result;
    if (argc != 3 && argc != 6) {
        fprintf(stderr, "usage: cfa_read FILE VARIABLE [START COUNT STEP]\n");
        return 2;
    }
    status = cfa_dataset_open(argv[1], NULL, &dataset);
    if (status != CFA_OK)
        return fail(status, cfa_last_error());
    status = cfa_dataset_variable_find(dataset, argv[2], &variable);
    result = status == CFA_OK ? print_variable(variable, argc == 6 ? argv + 3 : NULL) : fail(status, cfa_last_error());
    cfa_dataset_free(dataset);
    return result;
}
