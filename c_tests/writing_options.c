/* The arguments that the functions to create, check, convert and extract accept and refuse. */
#define _POSIX_C_SOURCE 200809L
#include "scratch.h"

/* A structure of a wrong size, with something unknown, or of an older version. */
#define SIZES(type, MACRO, CALL)                                  \
    do {                                                          \
        struct {                                                  \
            type known;                                           \
            uint64_t unknown;                                     \
        } larger = {MACRO, 1};                                    \
        larger.known.size = 0;                                    \
        CHECK(CALL(&larger.known) == CFA_ERR_ARGUMENT);           \
        larger.known.size = sizeof larger;                        \
        CHECK(CALL(&larger.known) == CFA_ERR_ARGUMENT);           \
        CHECK(strstr(cfa_last_error(), "does not know") != NULL); \
        larger.unknown = 0;                                       \
        remove(at("out.nc"));                                     \
        CHECK_OK(CALL(&larger.known));                            \
        larger.known.size = sizeof(size_t);                       \
        remove(at("out.nc"));                                     \
        CHECK_OK(CALL(&larger.known));                            \
    } while (0)

static void other_sizes_are_taken(void)
{
    uint64_t violated;
    SIZES(cfa_create_options, CFA_CREATE_OPTIONS_INIT, CREATE);
    SIZES(cfa_check_options, CFA_CHECK_OPTIONS_INIT, CHECK_FILE);
    SIZES(cfa_convert_options, CFA_CONVERT_OPTIONS_INIT, CONVERT);
    SIZES(cfa_extract_options, CFA_EXTRACT_OPTIONS_INIT, EXTRACT);
    CHECK(remove(at("out.nc")) == 0);
}

#define REFUSED(type, MACRO, CALL, field, value)                  \
    do {                                                          \
        type options = MACRO;                                     \
        options.field = value;                                    \
        CHECK(CALL(&options) == CFA_ERR_ARGUMENT);                \
        CHECK(cfa_last_error()[0] != 0);                          \
    } while (0)
#define NO_CREATE(field, value) REFUSED(cfa_create_options, CFA_CREATE_OPTIONS_INIT, CREATE, field, value)
#define NO_CHECK(field, value) REFUSED(cfa_check_options, CFA_CHECK_OPTIONS_INIT, CHECK_FILE, field, value)
#define NO_CONVERT(field, value) REFUSED(cfa_convert_options, CFA_CONVERT_OPTIONS_INIT, CONVERT, field, value)
#define NO_EXTRACT(field, value) REFUSED(cfa_extract_options, CFA_EXTRACT_OPTIONS_INIT, EXTRACT, field, value)

static void arguments_are_checked(void)
{
    static const char *const broken[] = {"\xff", NULL}, *const none[] = {NULL};
    const char *out = at("out.nc"), *in = at("agg.nc");
    uint64_t violated = 99, empty_chunk[] = {2, 0};
    cfa_open_options open = CFA_OPEN_OPTIONS_INIT;
    open.num_threads = -1;
    int before = entries();
    CHECK(cfa_aggregation_create(NULL, both(), 2, NULL) == CFA_ERR_ARGUMENT);
    CHECK(cfa_aggregation_create(out, NULL, 2, NULL) == CFA_ERR_ARGUMENT);
    CHECK(cfa_aggregation_create(out, NULL, 0, NULL) == CFA_ERR_ARGUMENT);
    CHECK(cfa_aggregation_create(out, none, 1, NULL) == CFA_ERR_ARGUMENT);
    CHECK(cfa_aggregation_create(out, broken, 1, NULL) == CFA_ERR_IO);
    CHECK(cfa_aggregation_check(NULL, NULL, &violated) == CFA_ERR_ARGUMENT);
    CHECK(cfa_aggregation_check(in, NULL, NULL) == CFA_ERR_ARGUMENT);
    CHECK(cfa_aggregation_check(at("absent.nc"), NULL, &violated) == CFA_ERR_IO);
    CHECK(cfa_aggregation_convert(NULL, out, NULL) == CFA_ERR_ARGUMENT);
    CHECK(cfa_aggregation_convert(in, NULL, NULL) == CFA_ERR_ARGUMENT);
    CHECK(cfa_aggregation_convert(at("absent.nc"), out, NULL) == CFA_ERR_IO);
    CHECK(cfa_aggregation_extract(NULL, out, NULL) == CFA_ERR_ARGUMENT);
    CHECK(cfa_aggregation_extract(in, NULL, NULL) == CFA_ERR_ARGUMENT);
    CHECK(cfa_aggregation_extract(in, in, NULL) == CFA_ERR_ARGUMENT);

    NO_CREATE(dialect, 8);
    NO_CREATE(dialect, -1);
    NO_CREATE(format, 4);
    NO_CREATE(locations, 3);
    NO_CREATE(update, 3);
    NO_CREATE(dry_run, -1);
    NO_CREATE(expand, 3);
    NO_CREATE(record_state, 3);
    NO_CREATE(allow_gaps, 3);
    NO_CREATE(aggregate_coordinates, 3);
    NO_CREATE(num_threads, -1);
    NO_CREATE(overwrite, 3);
    NO_CREATE(record_chunks, 3);
    NO_CREATE(skip_bad, 3);
    NO_CREATE(prune, 3);
    NO_CREATE(prune, -1);
    NO_CREATE(drs_version, "\xff");
    NO_CREATE(keep_attributes, broken);
    NO_CREATE(base, "\xff");
    NO_CREATE(variables, broken);
    NO_CREATE(dimensions, broken);
    NO_CREATE(new_dimension, "\xff");
    NO_CREATE(history, "\xff");
    NO_CHECK(fragments, 3);
    NO_CHECK(max_findings, -1);
    NO_CHECK(open, &open);
    NO_CONVERT(dialect, 8);
    NO_CONVERT(format, -1);
    NO_CONVERT(locations, 3);
    NO_CONVERT(reserved, 1);
    NO_CONVERT(overwrite, 3);
    NO_CONVERT(reserved_2, 1);
    NO_CONVERT(open, &open);
    NO_EXTRACT(compression, 10);
    NO_EXTRACT(compression, -2);
    NO_EXTRACT(shuffle, 3);
    NO_EXTRACT(overwrite, 3);
    NO_EXTRACT(reserved, 1);
    NO_EXTRACT(variables, broken);
    NO_EXTRACT(select, broken);
    NO_EXTRACT(cut_count, 1);
    NO_EXTRACT(chunk_rank, 1);
    NO_EXTRACT(open, &open);
    cfa_extract_options chunked = CFA_EXTRACT_OPTIONS_INIT;
    chunked.chunk = empty_chunk;
    chunked.chunk_rank = 2;
    CHECK(EXTRACT(&chunked) == CFA_ERR_ARGUMENT);
    cfa_create_options both_set = CFA_CREATE_OPTIONS_INIT;
    both_set.base = "https://example.org/";
    both_set.locations = CFA_LOCATIONS_ABSOLUTE;
    CHECK(CREATE(&both_set) == CFA_ERR_ARGUMENT);
    both_set = (cfa_create_options)CFA_CREATE_OPTIONS_INIT;
    both_set.update = CFA_CHOICE_YES;
    both_set.dialect = CFA_DIALECT_CF_1_13;
    CHECK(CREATE(&both_set) == CFA_ERR_ARGUMENT);
    CHECK(violated == 99);
    CHECK(entries() == before);
}

int main(int argc, char **argv)
{
    (void)argc;
    begin(argv);
    CHECK_OK(cfa_aggregation_create(at("agg.nc"), both(), 2, NULL));
    other_sizes_are_taken();
    arguments_are_checked();
    finish();
    return 0;
}
