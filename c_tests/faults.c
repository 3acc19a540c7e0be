/* Faults on purpose, one for each name that the program accepts: sanitizers must find these, so that finding none
   elsewhere means something. Each happens in the code of the library. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include <pthread.h>

static char path[4096];
static double place_of_race[12];
static pthread_barrier_t together;

/* Transposed, so that elements are written one by one by the library itself, not by memcpy. */
static void read_into(double *values)
{
    uint64_t start[2] = {0, 0};
    size_t count[2] = {4, 3};
    ptrdiff_t stride[2] = {1, 4};
    cfa_dataset *dataset;
    CHECK_OK(cfa_dataset_open(path, NULL, &dataset));
    CHECK_OK(cfa_variable_read(find(dataset, "tas"), start, count, NULL, stride, CFA_TYPE_FLOAT64, 12 * sizeof *values, values, NULL));
    cfa_dataset_free(dataset);
}

/* Locks that both threads take one after the other put their writes in an order, and no race is seen: therefore they begin
 * each read together, and often. */
static void *race(void *values)
{
    for (int i = 0; i < 50; i++) {
        pthread_barrier_wait(&together);
        read_into(values);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const char *fault = argc > 2 ? argv[2] : "";
    snprintf(path, sizeof path, "%s", in_directory(argv, "agg.nc"));
    if (strcmp(fault, "race") == 0) {
        pthread_t threads[2];
        CHECK(pthread_barrier_init(&together, NULL, 2) == 0);
        for (int i = 0; i < 2; i++)
            CHECK(pthread_create(&threads[i], NULL, race, place_of_race) == 0);
        for (int i = 0; i < 2; i++)
            CHECK(pthread_join(threads[i], NULL) == 0);
    } else if (strcmp(fault, "overflow") == 0) {
        double *values = malloc(11 * sizeof *values);
        CHECK(values != NULL);
        read_into(values);
        free(values);
    } else {
        CHECK(strcmp(fault, "leak") == 0);
        /* Several: a pointer to the last may be left over on the stack. */
        for (int i = 0; i < 10; i++)
            CHECK(open_file(argv, "agg.nc") != NULL);
    }
    return 0;
}
