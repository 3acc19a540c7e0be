/* What a program learns of an error without reading its message. */
#include "check.h"

static int same(const char *text, const char *wanted)
{
    return text == wanted || (text && wanted && strcmp(text, wanted) == 0);
}

static void nothing_has_failed_yet(void)
{
    size_t rank = 7;
    CHECK(cfa_last_error_status() == CFA_OK && cfa_last_error()[0] == 0);
    CHECK(cfa_last_error_file() == NULL && cfa_last_error_variable() == NULL);
    CHECK(cfa_last_error_is_absence() == 0);
    CHECK_OK(cfa_last_error_fragment(0, NULL, &rank));
    CHECK(rank == 0);
}

static void a_file_that_is_absent_is_told_from_one_that_cannot_be_read(char **argv)
{
    cfa_dataset *dataset = NULL;
    const char *path = in_directory(argv, "absent.nc");
    CHECK(cfa_dataset_open(path, NULL, &dataset) == CFA_ERR_IO);
    CHECK(cfa_last_error_status() == CFA_ERR_IO && cfa_last_error_is_absence() == 1);
    CHECK(same(cfa_last_error_file(), path) && cfa_last_error_variable() == NULL);
    CHECK(cfa_dataset_open(in_directory(argv, "agg.nc/below"), NULL, &dataset) == CFA_ERR_IO);
    CHECK(cfa_last_error_is_absence() == 1);
    /* The directory exists. */
    CHECK(cfa_dataset_open(argv[1], NULL, &dataset) == CFA_ERR_IO);
    CHECK(cfa_last_error_is_absence() == 0 && same(cfa_last_error_file(), argv[1]));
    CHECK(cfa_dataset_open(in_directory(argv, "agg.cdl"), NULL, &dataset) == CFA_ERR_NOT_NETCDF);
    CHECK(cfa_last_error_is_absence() == 0);
    CHECK(cfa_dataset_open(NULL, NULL, &dataset) == CFA_ERR_ARGUMENT);
    CHECK(cfa_last_error_file() == NULL && cfa_last_error_status() == CFA_ERR_ARGUMENT);
}

static void the_place_is_known(char **argv)
{
    cfa_dataset *dataset = open_file(argv, "agg.nc");
    const cfa_variable *variable;
    uint64_t start = 0, index[2] = {7, 7};
    size_t count = 3, rank = 9;
    float values[3];
    CHECK(cfa_variable_read(find(dataset, "gone"), &start, &count, NULL, NULL, CFA_TYPE_FLOAT32, sizeof values, values, NULL) ==
          CFA_ERR_FRAGMENT_MISSING);
    CHECK(strcmp(cfa_status_category(cfa_last_error_status()), "fragment-missing") == 0);
    CHECK(same(cfa_last_error_file(), in_directory(argv, "agg.nc")) && same(cfa_last_error_variable(), "/gone"));
    /* The aggregation file exists. */
    CHECK(cfa_last_error_is_absence() == 0);
    CHECK_OK(cfa_last_error_fragment(0, NULL, &rank));
    CHECK(rank == 1);
    CHECK_OK(cfa_last_error_fragment(2, index, &rank));
    CHECK(rank == 1 && index[0] == 0 && index[1] == 7);
    CHECK(cfa_last_error_fragment(2, NULL, &rank) == CFA_ERR_ARGUMENT);
    CHECK(cfa_last_error_fragment(2, index, NULL) == CFA_ERR_ARGUMENT);
    CHECK(cfa_last_error_variable() == NULL);

    CHECK(cfa_dataset_variable_find(dataset, "absent", &variable) == CFA_ERR_NOT_FOUND);
    CHECK(same(cfa_last_error_file(), in_directory(argv, "agg.nc")) && cfa_last_error_is_absence() == 0);
    /* The same for a function that returns no status; success leaves the error unchanged. */
    CHECK(cfa_dataset_variable(dataset, 1000) == NULL && cfa_last_error_status() == CFA_ERR_NOT_FOUND);
    CHECK(cfa_dataset_variable(dataset, 0) != NULL && cfa_last_error_status() == CFA_ERR_NOT_FOUND);
    cfa_dataset_free(dataset);
}

static void the_file_of_a_fragment_is_known_if_it_exists(char **argv)
{
    cfa_open_options options = CFA_OPEN_OPTIONS_INIT;
    cfa_dataset *dataset;
    uint64_t start[2] = {0, 0}, index[2] = {7, 7};
    size_t count[2] = {4, 3}, rank = 9;
    float values[12];
    const char *file;
    options.relocate = "part_2.nc=agg.cdl";
    CHECK_OK(cfa_dataset_open(in_directory(argv, "agg.nc"), &options, &dataset));
    CHECK(cfa_variable_read(find(dataset, "tas"), start, count, NULL, NULL, CFA_TYPE_FLOAT32, sizeof values, values, NULL) ==
          CFA_ERR_FRAGMENT_UNREADABLE);
    file = cfa_last_error_file();
    CHECK(strcmp(file + strlen(file) - strlen("/agg.cdl"), "/agg.cdl") == 0);
    CHECK(same(cfa_last_error_variable(), "/tas") && cfa_last_error_is_absence() == 0);
    CHECK_OK(cfa_last_error_fragment(2, index, &rank));
    CHECK(rank == 2 && index[0] == 1 && index[1] == 0);
    cfa_dataset_free(dataset);
}

static void an_index_that_does_not_fit_is_not_written(char **argv)
{
    cfa_open_options options = CFA_OPEN_OPTIONS_INIT;
    cfa_dataset *dataset;
    uint64_t start[2] = {0, 0}, index[1] = {7};
    size_t count[2] = {4, 3}, rank = 9;
    float values[12];
    /* Fragments of tas are not beside the directory that the file is said to lie in. */
    options.relocate = "part_2.nc=elsewhere.nc";
    CHECK_OK(cfa_dataset_open(in_directory(argv, "agg.nc"), &options, &dataset));
    CHECK(cfa_variable_read(find(dataset, "tas"), start, count, NULL, NULL, CFA_TYPE_FLOAT32, sizeof values, values, NULL) ==
          CFA_ERR_FRAGMENT_MISSING);
    CHECK(cfa_last_error_fragment(1, index, &rank) == CFA_ERR_BUFFER);
    CHECK(rank == 9 && index[0] == 7);
    cfa_dataset_free(dataset);
}

int main(int argc, char **argv)
{
    (void)argc;
    nothing_has_failed_yet();
    a_file_that_is_absent_is_told_from_one_that_cannot_be_read(argv);
    the_place_is_known(argv);
    the_file_of_a_fragment_is_known_if_it_exists(argv);
    an_index_that_does_not_fit_is_not_written(argv);
    return 0;
}
