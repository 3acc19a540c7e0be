/* Aggregation files are made, checked, converted and extracted; a call that fails or is stopped leaves nothing behind. */
#define _POSIX_C_SOURCE 200809L
#include "scratch.h"
#include <pthread.h>

/* Those of the products; scripts/sanitize.sh builds fewer. */
#ifndef FEATURES
#define FEATURES "read remote write"
#endif

/* What the callbacks were called with. */
typedef struct {
    int calls, stop_at, notes, variables, findings;
    double last;
    pthread_t thread;
    char text[512];
    uint8_t states[4];
} seen;

static seen nothing(void)
{
    seen fresh;
    memset(&fresh, 0, sizeof fresh);
    fresh.stop_at = -1;
    fresh.thread = pthread_self();
    return fresh;
}

static int32_t progress(double fraction, void *user_data)
{
    seen *told = user_data;
    CHECK(pthread_equal(pthread_self(), told->thread));
    CHECK(fraction >= told->last && fraction <= 1.0);
    CHECK((told->calls == 0) == (fraction == 0.0) || told->calls > 0);
    told->last = fraction;
    return told->calls++ != told->stop_at;
}

static void note(const char *text, void *user_data)
{
    seen *told = user_data;
    told->notes++;
    snprintf(told->text, sizeof told->text, "%s", text);
}

static void describe(const cfa_planned_variable *variable, void *user_data)
{
    seen *told = user_data;
    told->variables++;
    CHECK(strcmp(variable->name, "tas") == 0 && variable->rank == 2);
    CHECK(variable->fragment_count == 2 && variable->is_static == 0);
    const cfa_planned_dimension *time = variable->dimensions[0], *lat = variable->dimensions[1];
    CHECK(strcmp(time->name, "time") == 0 && time->size == 4 && time->part_count == 2 && time->is_new == 0);
    CHECK(time->parts[1]->size == 2 && strstr(time->parts[1]->file, "day_2.nc") != NULL);
    CHECK(strncmp(time->parts[1]->coordinates, "2 to 3", 6) == 0 && strstr(time->parts[1]->coordinates, "2001-01-03") != NULL);
    CHECK(strcmp(lat->name, "lat") == 0 && lat->size == 3 && lat->part_count == 1);
}

static void checked(const cfa_checked_variable *variable, void *user_data)
{
    seen *told = user_data;
    told->variables++;
    CHECK(strcmp(variable->path, "/tas") == 0 && variable->is_decoded && variable->rank == 2);
    CHECK(variable->dialect == CFA_DIALECT_CF_1_13 && variable->type == CFA_TYPE_FLOAT32);
    CHECK(variable->shape[0] == 4 && variable->shape[1] == 3);
    CHECK(variable->fragments[0] == 2 && variable->fragments[1] == 1);
    CHECK((variable->states != NULL) == (variable->state_count == 2));
    if (variable->states != NULL)
        memcpy(told->states, variable->states, variable->state_count);
}

static void finding(const cfa_finding *found, void *user_data)
{
    seen *told = user_data;
    told->findings++;
    CHECK(found->severity >= CFA_SEVERITY_NOTE && found->severity <= CFA_SEVERITY_REQUIREMENT);
    CHECK(found->count == 1 && found->clause != NULL);
    if (found->severity == CFA_SEVERITY_REQUIREMENT) {
        CHECK(strcmp(found->rule, "fragment-present") == 0 && strcmp(found->variable, "/tas") == 0);
        CHECK(found->rank == 2 && found->fragment[0] == 1 && found->fragment[1] == 0);
        snprintf(told->text, sizeof told->text, "%s", found->message);
    }
}

static void values_are_there(const char *path, int32_t dialect, uint64_t rows, double first)
{
    cfa_dataset *dataset;
    double values[12];
    uint8_t valid[12];
    uint64_t shape[2], start[] = {0, 0};
    size_t count[] = {(size_t)rows, 3};
    cfa_read_options options = CFA_READ_OPTIONS_INIT;
    options.mask = valid;
    options.mask_bytes = sizeof valid;
    CHECK_OK(cfa_dataset_open(path, NULL, &dataset));
    const cfa_variable *tas = find(dataset, "tas");
    CHECK(cfa_variable_dialect(tas) == dialect);
    CHECK_OK(cfa_variable_shape(tas, 2, shape));
    CHECK(shape[0] == rows && shape[1] == 3);
    CHECK_OK(cfa_variable_read(tas, start, count, NULL, NULL, CFA_TYPE_FLOAT64, sizeof values, values, &options));
    for (size_t i = 0; i < 3 * rows; i++) {
        double expected = first + 10.0 * (double)(i / 3) + (double)(i % 3);
        CHECK(valid[i] == (expected != 32));
        CHECK(!valid[i] || values[i] == expected);
    }
    cfa_dataset_free(dataset);
}

static void an_aggregation_is_made(void)
{
    static const char *const wanted[] = {"tas", NULL}, *const absent[] = {"pr", NULL};
    cfa_create_options options = CFA_CREATE_OPTIONS_INIT;
    seen told = nothing();
    int before = entries();
    options.variables = wanted;
    options.dry_run = CFA_CHOICE_YES;
    options.describe = describe;
    options.note = note;
    options.progress = progress;
    options.user_data = &told;
    CHECK_OK(cfa_aggregation_create(at("agg.nc"), both(), 2, &options));
    CHECK(told.variables == 1 && told.notes == 1 && strstr(told.text, "comment") != NULL);
    CHECK(told.calls > 2 && told.last == 1.0);
    CHECK(entries() == before);

    told = nothing();
    options.dry_run = CFA_CHOICE_NO;
    options.record_state = CFA_CHOICE_YES;
    CHECK_OK(cfa_aggregation_create(at("agg.nc"), both(), 2, &options));
    CHECK(told.variables == 1 && told.last == 1.0);
    CHECK(entries() == before + 1);
    values_are_there(at("agg.nc"), CFA_DIALECT_CF_1_13, 4, 0);

    /* The same in other words: patterns, a new dialect and format, absolute names. */
    const char *pattern[1];
    cfa_create_options other = CFA_CREATE_OPTIONS_INIT;
    other.expand = CFA_CHOICE_YES;
    other.dialect = CFA_DIALECT_CFA_0_6_2;
    other.format = CFA_FORMAT_CLASSIC;
    other.locations = CFA_LOCATIONS_ABSOLUTE;
    other.num_threads = 1;
    other.history = "made by a test";
    pattern[0] = at("day_?.nc");
    CHECK_OK(cfa_aggregation_create(at("out.nc"), pattern, 1, &other));
    values_are_there(at("out.nc"), CFA_DIALECT_CFA_0_6_2, 4, 0);
    CHECK(remove(at("out.nc")) == 0);
    static const char *const not_there[] = {"not_there", NULL};
    other.keep_attributes = not_there;
    CHECK(cfa_aggregation_create(at("out.nc"), pattern, 1, &other) == CFA_ERR_ATTRIBUTE);

    told = nothing();
    options.variables = absent;
    CHECK(CREATE(&options) == CFA_ERR_MISSING_VARIABLE);
    CHECK(entries() == before + 1);
}

static void files_are_added(void)
{
    const char *const *files = both();
    cfa_create_options options = CFA_CREATE_OPTIONS_INIT;
    seen told = nothing();
    CHECK_OK(cfa_aggregation_create(at("out.nc"), files + 1, 1, NULL));
    options.update = CFA_CHOICE_YES;
    options.note = note;
    options.user_data = &told;
    CHECK_OK(CREATE(&options));
    CHECK(told.notes > 0);
    values_are_there(at("out.nc"), CFA_DIALECT_CF_1_13, 4, 0);
    CHECK(remove(at("out.nc")) == 0);
}

static void parts_that_do_not_fit_are_refused(void)
{
    const char *files[3];
    int before = entries();
    files[0] = both()[0];
    files[1] = both()[1];
    files[2] = at("twin.nc");
    copy(files[1], files[2]);
    CHECK(cfa_aggregation_create(at("out.nc"), files, 3, NULL) == CFA_ERR_MAP);
    CHECK(strstr(cfa_last_error(), "twin.nc") != NULL);
    CHECK(remove(files[2]) == 0);
    CHECK(entries() == before);
}

static void a_file_is_checked(void)
{
    cfa_check_options options = CFA_CHECK_OPTIONS_INIT;
    seen told = nothing();
    uint64_t violated = 99;
    struct stat size;
    CHECK_OK(CHECK_FILE(NULL));
    CHECK(violated == 0);
    options.finding = finding;
    options.checked = checked;
    options.progress = progress;
    options.user_data = &told;
    violated = 99;
    CHECK_OK(CHECK_FILE(&options));
    CHECK(violated == 0 && told.variables == 1 && told.states[0] == 0 && told.last == 1.0);

    CHECK(rename(at("day_2.nc"), at("gone.nc")) == 0);
    told = nothing();
    options.fragments = CFA_CHOICE_YES;
    options.html_report = at("report.html");
    options.json_report = at("report.json");
    CHECK_OK(CHECK_FILE(&options));
    CHECK(violated == 1 && told.findings >= 1 && told.variables == 1);
    CHECK(told.states[0] == CFA_STATE_PRESENT && told.states[1] == CFA_STATE_MISSING);
    CHECK(strstr(told.text, "day_2.nc") != NULL);
    CHECK(stat(at("report.html"), &size) == 0 && size.st_size > 1000);
    CHECK(stat(at("report.json"), &size) == 0 && size.st_size > 100);
    CHECK(rename(at("gone.nc"), at("day_2.nc")) == 0);
    CHECK(remove(at("report.html")) == 0 && remove(at("report.json")) == 0);

    told = nothing();
    options.html_report = at("nowhere/report.html");
    violated = 99;
    CHECK(CHECK_FILE(&options) == CFA_ERR_IO);
    CHECK(violated == 99 && strstr(cfa_last_error(), "nowhere") != NULL);
}

static void an_aggregation_is_converted(void)
{
    cfa_convert_options options = CFA_CONVERT_OPTIONS_INIT;
    cfa_open_options open = CFA_OPEN_OPTIONS_INIT;
    seen told = nothing();
    char moved[8192];
    options.dialect = CFA_DIALECT_CFA_0_6_2;
    options.locations = CFA_LOCATIONS_ABSOLUTE;
    options.note = note;
    options.progress = progress;
    options.user_data = &told;
    CHECK_OK(CONVERT(&options));
    CHECK(told.calls > 2 && told.last == 1.0);
    values_are_there(at("out.nc"), CFA_DIALECT_CFA_0_6_2, 4, 0);

    /* Absolute names, with the archive moved elsewhere, become relative ones again. */
    snprintf(moved, sizeof moved, "%s=%s", scratch, at("elsewhere"));
    open.relocate = moved;
    options = (cfa_convert_options)CFA_CONVERT_OPTIONS_INIT;
    options.locations = CFA_LOCATIONS_RELATIVE;
    options.open = &open;
    CHECK_OK(cfa_aggregation_convert(at("out.nc"), at("moved.nc"), &options));
    CHECK(mkdir(at("elsewhere"), 0700) == 0);
    CHECK(rename(at("day_1.nc"), at("elsewhere/day_1.nc")) == 0);
    CHECK(rename(at("day_2.nc"), at("elsewhere/day_2.nc")) == 0);
    values_are_there(at("moved.nc"), CFA_DIALECT_CF_1_13, 4, 0);
    CHECK(rename(at("elsewhere/day_1.nc"), at("day_1.nc")) == 0);
    CHECK(rename(at("elsewhere/day_2.nc"), at("day_2.nc")) == 0);
    CHECK(remove(at("moved.nc")) == 0 && rmdir(at("elsewhere")) == 0);

    options = (cfa_convert_options)CFA_CONVERT_OPTIONS_INIT;
    options.dialect = CFA_DIALECT_CFA_0_4;
    options.format = CFA_FORMAT_CDF5;
    CHECK_OK(CONVERT(&options));
    values_are_there(at("out.nc"), CFA_DIALECT_CFA_0_4, 4, 0);
    CHECK(remove(at("out.nc")) == 0);
}

static void data_are_extracted(void)
{
    static const char *const wanted[] = {"tas", NULL}, *const absent[] = {"pr", NULL};
    cfa_extract_options options = CFA_EXTRACT_OPTIONS_INIT;
    cfa_cut cut = {"time", 1, 2, 0}, all = {"/time", 1, 0, 0}, twice[2], odd = {"height", 0, 1, 1};
    uint64_t chunk[] = {1, 3};
    seen told = nothing();
    options.variables = wanted;
    options.compression = 5;
    options.overwrite = CFA_CHOICE_YES;
    options.shuffle = CFA_CHOICE_NO;
    options.chunk = chunk;
    options.chunk_rank = 2;
    options.cuts = &cut;
    options.cut_count = 1;
    options.progress = progress;
    options.note = note;
    options.user_data = &told;
    CHECK_OK(EXTRACT(&options));
    CHECK(told.calls > 1 && told.last == 1.0);
    values_are_there(at("out.nc"), CFA_DIALECT_NONE, 2, 10);
    cfa_dataset *dataset = NULL;
    uint64_t shape[2];
    CHECK_OK(cfa_dataset_open(at("out.nc"), NULL, &dataset));
    CHECK_OK(cfa_variable_block_shape(find(dataset, "tas"), 2, shape));
    CHECK(shape[0] == 1 && shape[1] == 3);
    CHECK(find(dataset, "lat") != NULL && find(dataset, "time") != NULL);
    cfa_dataset_free(dataset);

    told = nothing();
    options.cuts = &all;
    options.compression = CFA_COMPRESSION_NONE;
    CHECK_OK(EXTRACT(&options));
    values_are_there(at("out.nc"), CFA_DIALECT_NONE, 3, 10);
    static const char *const days[] = {"time=2001-01-02..2001-01-03", NULL}, *const odd_days[] = {"time=1999", NULL};
    told = nothing();
    options.cuts = NULL;
    options.cut_count = 0;
    options.select = days;
    CHECK_OK(EXTRACT(&options));
    values_are_there(at("out.nc"), CFA_DIALECT_NONE, 2, 10);
    options.progress = NULL;
    options.select = odd_days;
    CHECK(EXTRACT(&options) == CFA_ERR_ARGUMENT);
    CHECK(strstr(cfa_last_error(), "1999") != NULL);
    options.cuts = &cut;
    options.cut_count = 1;
    options.select = days;
    CHECK(EXTRACT(&options) == CFA_ERR_ARGUMENT);
    options.select = NULL;
    CHECK(remove(at("out.nc")) == 0);
    CHECK_OK(EXTRACT(NULL));
    values_are_there(at("out.nc"), CFA_DIALECT_NONE, 4, 0);
    CHECK(remove(at("out.nc")) == 0);

    int before = entries();
    options.cuts = &odd;
    CHECK(EXTRACT(&options) == CFA_ERR_NOT_FOUND);
    CHECK(strstr(cfa_last_error(), "it has: time") != NULL);
    twice[0] = twice[1] = cut;
    options.cuts = twice;
    options.cut_count = 2;
    CHECK(EXTRACT(&options) == CFA_ERR_ARGUMENT);
    options.cut_count = 1;
    twice[0].count = 4;
    CHECK(EXTRACT(&options) == CFA_ERR_ARGUMENT);
    twice[0].start = 4;
    CHECK(EXTRACT(&options) == CFA_ERR_ARGUMENT);
    options.cuts = NULL;
    options.cut_count = 0;
    options.variables = absent;
    CHECK(EXTRACT(&options) == CFA_ERR_MISSING_VARIABLE);
    CHECK(entries() == before);
}

/* Stops at the first, second, ... call of progress until one is not stopped. */
#define STOPPED(type, MACRO, CALL)                                \
    do {                                                          \
        type options = MACRO;                                     \
        seen told = nothing();                                    \
        cfa_status status = CFA_ERR_CANCELLED;                    \
        int stops = 0, before = entries();                        \
        options.progress = progress;                              \
        options.user_data = &told;                                \
        for (int stop = 0; status != CFA_OK; stop++) {            \
            told = nothing();                                     \
            told.stop_at = stop;                                  \
            status = CALL(&options);                              \
            CHECK(status == CFA_OK || status == CFA_ERR_CANCELLED); \
            CHECK(status == CFA_OK || (told.calls == stop + 1 && entries() == before)); \
            stops += status != CFA_OK;                            \
        }                                                         \
        CHECK(told.last == 1.0);                                  \
        CHECK(stops > 0);                                         \
        remove(at("out.nc"));                                     \
    } while (0)

static void a_stopped_call_leaves_nothing(void)
{
    uint64_t violated;
    STOPPED(cfa_create_options, CFA_CREATE_OPTIONS_INIT, CREATE);
    STOPPED(cfa_check_options, CFA_CHECK_OPTIONS_INIT, CHECK_FILE);
    STOPPED(cfa_convert_options, CFA_CONVERT_OPTIONS_INIT, CONVERT);
    STOPPED(cfa_extract_options, CFA_EXTRACT_OPTIONS_INIT, EXTRACT);
}

typedef struct {
    const char *const *files;
    const char *in;
    char made[4096], plain[4096];
    cfa_status status;
} writer;

static void *write_files(void *argument)
{
    writer *mine = argument;
    cfa_extract_options extract = CFA_EXTRACT_OPTIONS_INIT;
    extract.overwrite = CFA_CHOICE_YES;
    for (int i = 0; i < 3 && mine->status == CFA_OK; i++) {
        mine->status = cfa_aggregation_create(mine->made, mine->files, 2, NULL);
        if (mine->status == CFA_OK)
            mine->status = cfa_aggregation_extract(mine->in, mine->plain, &extract);
    }
    return NULL;
}

static void several_threads_write_at_once(void)
{
    pthread_t threads[3];
    writer writers[3];
    const char *const *files = both();
    const char *in = at("agg.nc");
    for (int i = 0; i < 3; i++) {
        writers[i].files = files;
        writers[i].in = in;
        writers[i].status = CFA_OK;
        snprintf(writers[i].made, sizeof writers[i].made, "%s/made_%d.nc", scratch, i);
        snprintf(writers[i].plain, sizeof writers[i].plain, "%s/plain_%d.nc", scratch, i);
    }
    for (int i = 0; i < 3; i++)
        CHECK(pthread_create(&threads[i], NULL, write_files, &writers[i]) == 0);
    for (int i = 0; i < 3; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        CHECK_OK(writers[i].status);
        values_are_there(writers[i].made, CFA_DIALECT_CF_1_13, 4, 0);
        values_are_there(writers[i].plain, CFA_DIALECT_NONE, 4, 0);
        CHECK(remove(writers[i].made) == 0 && remove(writers[i].plain) == 0);
    }
}

int main(int argc, char **argv)
{
    (void)argc;
    CHECK(strcmp(cfa_version_features(), FEATURES) == 0);
    begin(argv);
    an_aggregation_is_made();
    files_are_added();
    parts_that_do_not_fit_are_refused();
    a_file_is_checked();
    an_aggregation_is_converted();
    data_are_extracted();
    a_stopped_call_leaves_nothing();
    several_threads_write_at_once();
    finish();
    return 0;
}
