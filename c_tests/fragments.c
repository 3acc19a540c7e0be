/* Many fragments at once. */
#include "check.h"

static void sizes_of_all_fragments(const cfa_dataset *dataset)
{
    uint64_t sizes[3] = {9, 9, 9};
    const cfa_variable *tas = find(dataset, "tas");
    CHECK_OK(cfa_variable_fragment_sizes(tas, 0, 3, sizes));
    CHECK(sizes[0] == 2 && sizes[1] == 2 && sizes[2] == 9);
    CHECK_OK(cfa_variable_fragment_sizes(tas, 1, 1, sizes));
    CHECK(sizes[0] == 3 && sizes[1] == 2);
    CHECK(cfa_variable_fragment_sizes(tas, 2, 3, sizes) == CFA_ERR_NOT_FOUND);
    CHECK(cfa_variable_fragment_sizes(tas, 0, 1, sizes) == CFA_ERR_BUFFER);
    CHECK(cfa_variable_fragment_sizes(tas, 0, 3, NULL) == CFA_ERR_ARGUMENT);
    CHECK(cfa_variable_fragment_sizes(NULL, 0, 3, sizes) == CFA_ERR_ARGUMENT);
    CHECK(cfa_variable_fragment_sizes(find(dataset, "lat"), 0, 3, sizes) == CFA_ERR_TYPE);
    CHECK(cfa_variable_fragment_sizes(find(dataset, "bad"), 0, 3, sizes) == CFA_ERR_MISSING_VARIABLE);
}

typedef struct {
    int calls, stop_after;
    uint64_t index[2], start[2], count[2];
    char location[64], identifier[64];
    int32_t state, is_unique_value;
    size_t rank, version_count;
} seen;

/* Keeps the last fragment. */
static int32_t see(const cfa_fragment *fragment, void *user_data)
{
    seen *last = user_data;
    last->calls++;
    last->rank = fragment->rank;
    for (size_t d = 0; d < fragment->rank && d < 2; d++) {
        last->index[d] = fragment->index[d];
        last->start[d] = fragment->start[d];
        last->count[d] = fragment->count[d];
    }
    last->version_count = fragment->version_count;
    last->location[0] = last->identifier[0] = 0;
    if (fragment->version_count > 0) {
        snprintf(last->location, sizeof last->location, "%s", fragment->locations[0]);
        snprintf(last->identifier, sizeof last->identifier, "%s", fragment->identifiers[0]);
    }
    last->state = fragment->state;
    last->is_unique_value = fragment->is_unique_value;
    return last->calls != last->stop_after;
}

static void fragments_are_visited(const cfa_dataset *dataset)
{
    const cfa_variable *tas = find(dataset, "tas");
    seen last = {0};
    CHECK_OK(cfa_variable_fragments_visit(tas, NULL, NULL, CFA_CHOICE_YES, see, &last));
    CHECK(last.calls == 2 && last.rank == 2 && last.index[0] == 1 && last.index[1] == 0);
    CHECK(last.start[0] == 2 && last.count[0] == 2 && last.start[1] == 0 && last.count[1] == 3);
    CHECK(last.version_count == 1 && strcmp(last.location, "part_2.nc") == 0 && strcmp(last.identifier, "temperature") == 0);
    CHECK(last.state == CFA_STATE_PRESENT && !last.is_unique_value);
    /* A part; files are not looked for. */
    uint64_t start[] = {0, 0}, count[] = {1, 1}, beyond[] = {2, 0};
    last.calls = 0;
    CHECK_OK(cfa_variable_fragments_visit(tas, start, count, CFA_CHOICE_DEFAULT, see, &last));
    CHECK(last.calls == 1 && last.index[0] == 0 && last.state == CFA_STATE_UNCHECKED && strcmp(last.identifier, "tas") == 0);
    start[0] = 1;
    last.calls = 0;
    CHECK_OK(cfa_variable_fragments_visit(tas, start, NULL, CFA_CHOICE_NO, see, &last));
    CHECK(last.calls == 1 && last.index[0] == 1);
    last.calls = 0;
    CHECK_OK(cfa_variable_fragments_visit(find(dataset, "gone"), NULL, NULL, CFA_CHOICE_YES, see, &last));
    CHECK(last.calls == 1 && last.rank == 1 && last.state == CFA_STATE_MISSING);
    CHECK_OK(cfa_variable_fragments_visit(find(dataset, "same"), NULL, NULL, CFA_CHOICE_YES, see, &last));
    CHECK(last.version_count == 0 && last.state == CFA_STATE_NO_FILE && last.is_unique_value);
    last.calls = 0;
    last.stop_after = 1;
    CHECK(cfa_variable_fragments_visit(tas, NULL, NULL, CFA_CHOICE_NO, see, &last) == CFA_ERR_CANCELLED && last.calls == 1);
    last.calls = 0;
    CHECK(cfa_variable_fragments_visit(tas, NULL, NULL, 3, see, &last) == CFA_ERR_ARGUMENT);
    CHECK(cfa_variable_fragments_visit(tas, NULL, NULL, CFA_CHOICE_NO, NULL, &last) == CFA_ERR_ARGUMENT);
    CHECK(cfa_variable_fragments_visit(tas, beyond, count, CFA_CHOICE_NO, see, &last) == CFA_ERR_ARGUMENT);
    CHECK(cfa_variable_fragments_visit(NULL, NULL, NULL, CFA_CHOICE_NO, see, &last) == CFA_ERR_ARGUMENT);
    CHECK(cfa_variable_fragments_visit(find(dataset, "lat"), NULL, NULL, CFA_CHOICE_NO, see, &last) == CFA_ERR_TYPE);
    CHECK(cfa_variable_fragments_visit(find(dataset, "bad"), NULL, NULL, CFA_CHOICE_NO, see, &last) ==
          CFA_ERR_MISSING_VARIABLE);
    CHECK(last.calls == 0);
}

static void a_fragment_that_may_not_be_opened_is_wrong(char **argv)
{
    cfa_open_options options = CFA_OPEN_OPTIONS_INIT;
    cfa_dataset *dataset;
    seen last = {0};
    options.allowed_sources = "/nowhere";
    CHECK_OK(cfa_dataset_open(in_directory(argv, "agg.nc"), &options, &dataset));
    CHECK_OK(cfa_variable_fragments_visit(find(dataset, "tas"), NULL, NULL, CFA_CHOICE_YES, see, &last));
    CHECK(last.state == CFA_STATE_WRONG);
    cfa_dataset_free(dataset);
}

int main(int argc, char **argv)
{
    (void)argc;
    cfa_dataset *dataset = open_file(argv, "agg.nc");
    sizes_of_all_fragments(dataset);
    fragments_are_visited(dataset);
    cfa_dataset_free(dataset);
    a_fragment_that_may_not_be_opened_is_wrong(argv);
    return 0;
}
