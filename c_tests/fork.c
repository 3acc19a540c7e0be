/* After fork the child reads from the datasets of its parent, and never hangs. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include <sys/wait.h>
#include <unistd.h>

static void read_once(const cfa_dataset *dataset)
{
    uint64_t start[2] = {0, 0};
    size_t count[2] = {4, 3};
    double values[12];
    CHECK_OK(cfa_variable_read(find(dataset, "tas"), start, count, NULL, NULL, CFA_FLOAT64, sizeof values, values, NULL));
    for (int i = 0; i < 11; i++)
        CHECK(values[i] == 10 * (i / 3) + i % 3);
}

/* A read that several threads share; the threads of the parent are not there in the child. */
static void read_much(const cfa_dataset *dataset)
{
    enum { ROWS = 1000, COLUMNS = 1000, FRAGMENT = 400 * COLUMNS };
    static float values[ROWS * COLUMNS];
    uint64_t start[2] = {200, 0};
    size_t count[2] = {ROWS, COLUMNS};
    memset(values, 0, sizeof values);
    CHECK_OK(cfa_variable_read(find(dataset, "many"), start, count, NULL, NULL, CFA_FLOAT32, sizeof values, values, NULL));
    for (int i = 0; i < ROWS * COLUMNS; i++)
        CHECK(values[i] == (float)((i + 200 * COLUMNS) % FRAGMENT * 7919LL % 10007));
}

static cfa_dataset *open_large(char **argv)
{
    cfa_dataset *dataset;
    cfa_open_options options = CFA_OPEN_OPTIONS_INIT;
    options.num_threads = 4;
    CHECK_OK(cfa_dataset_open(in_directory(argv, "large.nc"), &options, &dataset));
    return dataset;
}

int main(int argc, char **argv)
{
    (void)argc;
    cfa_dataset *dataset = open_file(argv, "agg.nc");
    cfa_dataset *large = open_large(argv);
    read_once(dataset);
    read_much(large);
    for (int i = 0; i < 10; i++) {
        int status;
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            alarm(20);
            read_once(dataset);
            read_much(large);
            cfa_dataset *own = open_file(argv, "agg.nc");
            read_once(own);
            cfa_dataset_free(own);
            cfa_dataset_free(dataset);
            cfa_dataset_free(large);
            _exit(0);
        }
        read_once(dataset);
        read_much(large);
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    cfa_dataset_free(dataset);
    cfa_dataset_free(large);
    return 0;
}
