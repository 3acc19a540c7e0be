/* Threads read overlapping parts of one dataset at once, each read with helper threads of its own, through a cache that is
   too small for all of it: what they share is fetched, decoded, dropped and fetched again under their hands. Then a child
   goes on with the dataset, also with helper threads: those of its parent are not there any more. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4
#define ROWS 1000
#define COLUMNS 1000

static const cfa_dataset *dataset;
static int rounds;

static void read_rows(const char *name, uint64_t first, float *values, uint8_t *mask)
{
    uint64_t start[2] = {first, 0};
    size_t count[2] = {ROWS, COLUMNS};
    cfa_read_options options = CFA_READ_OPTIONS_INIT;
    options.mask = mask;
    options.mask_bytes = ROWS * COLUMNS;
    const cfa_variable *variable = find(dataset, name);
    CHECK_OK(cfa_variable_read(variable, start, count, NULL, NULL, CFA_TYPE_FLOAT32, ROWS * COLUMNS * sizeof *values, values,
                               &options));
    for (size_t y = 0; y < ROWS; y += 7)
        for (size_t x = 0; x < COLUMNS; x += 11) {
            size_t i = (size_t)((first + y) % 400) * 1000 + x;
            CHECK(values[y * COLUMNS + x] == (float)(i * 7919 % 10007));
            CHECK(mask[y * COLUMNS + x] == 1);
        }
}

static void *work(void *argument)
{
    uint64_t number = *(const uint64_t *)argument, start[2] = {300 * number, 0};
    size_t count[2] = {400, COLUMNS};
    float *values = malloc(ROWS * COLUMNS * sizeof *values);
    uint8_t *mask = malloc(ROWS * COLUMNS);
    CHECK(values && mask);
    for (int i = 0; i < rounds; i++) {
        read_rows(number % 2 ? "many" : "one", 300 * number, values, mask);
        CHECK_OK(cfa_variable_advise(find(dataset, "many"), start, count, NULL));
        read_rows(number % 2 ? "one" : "many", 500 + 100 * number, values, mask);
    }
    free(values);
    free(mask);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    uint64_t numbers[THREADS];
    cfa_dataset *opened;
    cfa_open_options options = CFA_OPEN_OPTIONS_INIT;
    options.num_threads = 4;
    options.max_open_files = 1;
    options.cache_bytes = 2000000;
    rounds = argc > 2 ? atoi(argv[2]) : 5;
    CHECK_OK(cfa_dataset_open(in_directory(argv, "large.nc"), &options, &opened));
    dataset = opened;
    for (uint64_t i = 0; i < THREADS; i++) {
        numbers[i] = i;
        CHECK(pthread_create(&threads[i], NULL, work, &numbers[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);

    pid_t child = fork();
    int status;
    CHECK(child >= 0);
    if (child == 0) {
        alarm(60);
        work(&numbers[1]);
        cfa_dataset_free(opened);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    cfa_dataset_free(opened);
    return 0;
}
