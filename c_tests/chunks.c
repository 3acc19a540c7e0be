/* Where blocks of aggregated data are stored. */
#define _POSIX_C_SOURCE 200809L
#include "scratch.h"

typedef struct {
    int calls;
    int32_t answer;
    float values[6];
    size_t filter_count;
    char file[4096];
} seen;

/* Reads the chunk, which has no filters. */
static int32_t see(const cfa_chunk *chunk, void *user_data)
{
    seen *last = user_data;
    last->calls++;
    last->filter_count = chunk->filter_count;
    snprintf(last->file, sizeof last->file, "%s", chunk->file);
    CHECK(chunk->size == sizeof last->values && !chunk->is_big_endian);
    FILE *in = fopen(chunk->file, "rb");
    CHECK(in != NULL && fseek(in, (long)chunk->offset, SEEK_SET) == 0);
    CHECK(fread(last->values, 1, sizeof last->values, in) == sizeof last->values && fclose(in) == 0);
    return last->answer;
}

static void blocks_are_found(const cfa_variable *tas)
{
    seen last = {.answer = 1};
    uint64_t start[] = {0, 0}, block[] = {2, 3}, part[] = {1, 3}, all[] = {4, 3}, beyond[] = {4, 0};
    CHECK_OK(cfa_variable_chunk_visit(tas, start, block, see, &last));
    CHECK(last.calls == 1 && last.filter_count == 0 && strstr(last.file, "day_1.nc") != NULL);
    CHECK(last.values[0] == 0 && last.values[3] == 10 && last.values[5] == 12);
    /* The second day is packed. */
    start[0] = 2;
    CHECK_OK(cfa_variable_chunk_visit(tas, start, block, see, &last));
    start[0] = 0;
    /* What is no whole array, of one file. */
    CHECK_OK(cfa_variable_chunk_visit(tas, start, part, see, &last));
    CHECK_OK(cfa_variable_chunk_visit(tas, start, all, see, &last));
    CHECK_OK(cfa_variable_chunk_visit(tas, beyond, block, see, &last));
    start[0] = 1;
    CHECK_OK(cfa_variable_chunk_visit(tas, start, block, see, &last));
    CHECK(last.calls == 1);
    start[0] = last.answer = 0;
    CHECK(cfa_variable_chunk_visit(tas, start, block, see, &last) == CFA_ERR_CANCELLED);
    CHECK(cfa_variable_chunk_visit(tas, start, block, NULL, &last) == CFA_ERR_ARGUMENT);
    CHECK(cfa_variable_chunk_visit(tas, NULL, block, see, &last) == CFA_ERR_ARGUMENT);
    CHECK(cfa_variable_chunk_visit(tas, start, NULL, see, &last) == CFA_ERR_ARGUMENT);
    CHECK(cfa_variable_chunk_visit(NULL, start, block, see, &last) == CFA_ERR_ARGUMENT);
}

static void what_is_converted_has_no_chunk(char **argv)
{
    seen last = {.answer = 1};
    uint64_t start[] = {0, 0}, block[] = {1, 2};
    cfa_dataset *dataset = open_file(argv, "agg.nc");
    /* Its missing value is not that of the fragment. */
    CHECK_OK(cfa_variable_chunk_visit(find(dataset, "tas"), start, block, see, &last));
    CHECK_OK(cfa_variable_chunk_visit(find(dataset, "lat"), start, block, see, &last));
    CHECK(cfa_variable_chunk_visit(find(dataset, "bad"), start, block, see, &last) == CFA_ERR_MISSING_VARIABLE);
    uint64_t three = 3;
    CHECK(cfa_variable_chunk_visit(find(dataset, "gone"), start, &three, see, &last) == CFA_ERR_FRAGMENT_MISSING);
    CHECK(strstr(cfa_last_error(), "agg.nc: variable '/gone': fragment [0]") != NULL);
    CHECK(last.calls == 0);
    cfa_dataset_free(dataset);
}

int main(int argc, char **argv)
{
    (void)argc;
    begin(argv);
    cfa_dataset *dataset;
    CHECK_OK(cfa_aggregation_create(at("agg.nc"), both(), 2, NULL));
    CHECK_OK(cfa_dataset_open(at("agg.nc"), NULL, &dataset));
    blocks_are_found(find(dataset, "tas"));
    cfa_dataset_free(dataset);
    what_is_converted_has_no_chunk(argv);
    finish();
    return 0;
}
