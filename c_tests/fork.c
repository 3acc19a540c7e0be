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
    CHECK_OK(cfa_variable_read(find(dataset, "tas"), start, count, NULL, NULL, CFA_TYPE_FLOAT64, sizeof values, values, NULL));
    for (int i = 0; i < 11; i++)
        CHECK(values[i] == 10 * (i / 3) + i % 3);
}

int main(int argc, char **argv)
{
    (void)argc;
    cfa_dataset *dataset = open_file(argv, "agg.nc");
    read_once(dataset);
    for (int i = 0; i < 10; i++) {
        int status;
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            alarm(20);
            read_once(dataset);
            cfa_dataset *own = open_file(argv, "agg.nc");
            read_once(own);
            cfa_dataset_free(own);
            cfa_dataset_free(dataset);
            _exit(0);
        }
        read_once(dataset);
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    cfa_dataset_free(dataset);
    return 0;
}
