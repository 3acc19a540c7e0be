/* 16 threads use one dataset; then each has a dataset of its own; then open and free in a loop. With "own" after the number
   of rounds nothing is shared: helgrind does not see the locks of Rust, and all that they guard looks unguarded to it. */
#include "check.h"
#include <pthread.h>

#define THREADS 16

static char path[4096];
static int rounds;

static void read_all(const cfa_dataset *dataset)
{
    const cfa_variable *tas = find(dataset, "tas"), *names = find(dataset, "name");
    uint64_t start[2] = {0, 0};
    size_t count[2] = {4, 3};
    double values[12];
    char *strings[3];
    CHECK_OK(cfa_variable_read(tas, start, count, NULL, NULL, CFA_TYPE_FLOAT64, sizeof values, values, NULL));
    for (int i = 0; i < 11; i++)
        CHECK(values[i] == 10 * (i / 3) + i % 3);
    CHECK(cfa_dataset_variable_count(dataset) == 12);
    CHECK(cfa_group_variable_count(cfa_dataset_root(dataset)) == 10);
    CHECK(strcmp(cfa_variable_units(tas), "K") == 0);
    CHECK(cfa_variable_attribute_count(tas) == 3);
    count[0] = 3;
    CHECK_OK(cfa_variable_read(names, start, count, NULL, NULL, CFA_TYPE_STRING, sizeof strings, strings, NULL));
    CHECK(strcmp(strings[2], "Bergen") == 0);
    cfa_strings_free(strings, 3);
    /* Each thread has its own message. */
    CHECK(cfa_variable_check(find(dataset, "bad")) == CFA_ERR_MISSING_VARIABLE);
    CHECK(strstr(cfa_last_error(), "bad") != NULL);
}

static void *shared(void *dataset)
{
    CHECK(cfa_last_error()[0] == 0);
    for (int i = 0; i < rounds; i++)
        read_all(dataset);
    return NULL;
}

static void *own(void *unused)
{
    (void)unused;
    for (int i = 0; i < rounds; i++) {
        cfa_dataset *dataset;
        CHECK_OK(cfa_dataset_open(path, NULL, &dataset));
        read_all(dataset);
        cfa_dataset_free(dataset);
    }
    return NULL;
}

static void run(void *(*work)(void *), void *argument)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, argument) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
}

int main(int argc, char **argv)
{
    rounds = argc > 2 ? atoi(argv[2]) : 20;
    snprintf(path, sizeof path, "%s", in_directory(argv, "agg.nc"));
    if (argc < 4 || strcmp(argv[3], "own") != 0) {
        cfa_dataset *dataset = open_file(argv, "agg.nc");
        run(shared, dataset);
        cfa_dataset_free(dataset);
    }
    run(own, NULL);
    for (int i = 0; i < rounds * 5; i++)
        cfa_dataset_free(open_file(argv, "agg.nc"));
    return 0;
}
