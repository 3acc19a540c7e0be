/* A read reports its progress in the calling thread, and ends within 200 ms after it was stopped. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include <pthread.h>
#include <time.h>

typedef struct {
    double last, stop_at;
    double asked;
    int calls;
    pthread_t thread;
} watch;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int32_t progress(double fraction, void *user_data)
{
    watch *seen = user_data;
    CHECK(fraction >= seen->last && fraction <= 1.0);
    CHECK(pthread_equal(pthread_self(), seen->thread));
    seen->last = fraction;
    seen->calls++;
    if (fraction < seen->stop_at)
        return 1;
    seen->asked = now();
    return 0;
}

static cfa_status read_large(const cfa_variable *variable, watch *seen)
{
    uint64_t shape[3], start[3] = {0, 0, 0};
    size_t rank, count[3] = {1, 1, 1};
    cfa_read_options options = CFA_READ_OPTIONS_INIT;
    options.progress = progress;
    options.user_data = seen;
    CHECK_OK(cfa_variable_rank(variable, &rank));
    CHECK(rank <= 3);
    CHECK_OK(cfa_variable_shape(variable, 3, shape));
    for (size_t i = 0; i < rank; i++)
        count[i] = (size_t)shape[i];
    size_t bytes = count[0] * count[1] * count[2] * sizeof(float);
    float *buffer = malloc(bytes);
    CHECK(buffer != NULL);
    cfa_status status = cfa_variable_read(variable, start, count, NULL, NULL, CFA_TYPE_FLOAT32, bytes, buffer, &options);
    free(buffer);
    return status;
}

int main(int argc, char **argv)
{
    static const double stops[] = {0.0, 0.2};
    (void)argc;
    cfa_dataset *dataset = open_file(argv, "large.nc");
    for (int name = 0; name < 2; name++) {
        const cfa_variable *variable = find(dataset, name ? "one" : "many");
        watch seen = {0, 2, 0, 0, pthread_self()};
        double began = now(), whole;
        CHECK_OK(read_large(variable, &seen));
        whole = now() - began;
        CHECK(seen.calls > 2);
        CHECK(seen.last == 1.0);
        for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++) {
            watch stopped = {0, stops[i], 0, 0, pthread_self()};
            CHECK(read_large(variable, &stopped) == CFA_ERR_CANCELLED);
            double delay = now() - stopped.asked;
            printf("%s: whole read %.0f ms, stopped at %.2f, back after %.1f ms\n", cfa_variable_name(variable), whole * 1e3,
                   stopped.last, delay * 1e3);
            CHECK(delay < 0.2);
            CHECK(stopped.last < 1.0);
        }
    }
    cfa_dataset_free(dataset);
    return 0;
}
