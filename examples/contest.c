/* One timed read for comparisons with other readers.

       contest FILE VARIABLE SELECTION

   SELECTION is start:stop:step,.. per dimension, or - to open and list only. Prints one line of JSON with seconds to open and
   to read, CPU seconds, peak memory and a CRC-32 of the values as 32-bit floats. With BENCH_DUMP=FILE set the values are
   written there. With BENCH_READS=N it reads N times, and only the last read counts. The number of threads is that of
   CFA_NUM_THREADS. */

#define _DEFAULT_SOURCE
#include <cfa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

/* The most dimensions that netCDF has ever allowed. */
#define MOST 1024

static void fail(const char *message)
{
    fprintf(stderr, "contest: %s\n", message);
    exit(EXIT_FAILURE);
}

static void demand(cfa_status status)
{
    if (status != CFA_OK)
        fail(cfa_last_error());
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double cpu_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* Not ru_maxrss, which survives exec and would tell the size of the parent. */
static long peak_kilobytes(void)
{
    char line[256];
    long kilobytes = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmHWM: %ld", &kilobytes) == 1)
            break;
    if (status)
        fclose(status);
    return kilobytes;
}

static uint32_t crc32(const unsigned char *bytes, size_t count)
{
    uint32_t table[256], crc = 0xFFFFFFFFu;
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = table[i] & 1 ? table[i] >> 1 ^ 0xEDB88320u : table[i] >> 1;
    }
    for (size_t i = 0; i < count; i++)
        crc = table[(crc ^ bytes[i]) & 0xFF] ^ crc >> 8;
    return ~crc;
}

/* Fresh memory in huge pages, as the other contestants use it. */
static float *allocate(size_t bytes)
{
    void *memory;
    if (bytes < (4u << 20))
        memory = malloc(bytes ? bytes : 1);
    else {
        memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            memory = NULL;
        else
            madvise(memory, bytes, MADV_HUGEPAGE);
    }
    if (!memory)
        fail("no memory");
    return memory;
}

/* Looks at the dimensions of every variable. */
static void list(const cfa_dataset *dataset)
{
    for (size_t i = 0; i < cfa_dataset_variable_count(dataset); i++) {
        size_t rank;
        demand(cfa_variable_rank(cfa_dataset_variable(dataset, i), &rank));
    }
}

/* Returns the number of ranges. */
static size_t parse(const char *selection, uint64_t *start, size_t *count, int64_t *step)
{
    size_t rank = 0;
    for (const char *at = selection; *at && rank < MOST; rank++) {
        unsigned long long from, to, by;
        int length = 0;
        if (sscanf(at, "%llu:%llu:%llu%n", &from, &to, &by, &length) != 3 || by == 0 || to < from)
            fail("start:stop:step,.. expected");
        start[rank] = from;
        count[rank] = (size_t)((to - from + by - 1) / by);
        step[rank] = (int64_t)by;
        at += length;
        at += *at == ',';
    }
    return rank;
}

int main(int argc, char **argv)
{
    static uint64_t start[MOST];
    static size_t count[MOST];
    static int64_t step[MOST];
    if (argc != 4)
        fail("usage: contest FILE VARIABLE start:stop:step,..|-");
    int only_open = strcmp(argv[3], "-") == 0;
    size_t selected = only_open ? 0 : parse(argv[3], start, count, step);

    double begin = seconds();
    cfa_dataset *dataset;
    const cfa_variable *variable;
    size_t rank;
    demand(cfa_dataset_open(argv[1], NULL, &dataset));
    demand(cfa_dataset_variable_find(dataset, argv[2], &variable));
    demand(cfa_variable_rank(variable, &rank));
    if (only_open)
        list(dataset);
    double opened = seconds() - begin, read = 0;

    if (!only_open && selected != rank)
        fail("the variable has another number of dimensions");
    size_t values = !only_open;
    for (size_t i = 0; i < selected; i++)
        values *= count[i];
    float *buffer = allocate(values * sizeof *buffer);
    const char *reads = getenv("BENCH_READS");
    for (int i = reads ? atoi(reads) : 1; !only_open && i > 0; i--) {
        begin = seconds();
        demand(cfa_variable_read(variable, start, count, step, NULL, CFA_TYPE_FLOAT32, values * sizeof *buffer, buffer, NULL));
        read = seconds() - begin;
        if (i > 1)
            opened = 0;
    }
    double cpu = cpu_seconds();
    long memory = peak_kilobytes();

    const char *dump = getenv("BENCH_DUMP");
    if (dump && !only_open) {
        FILE *file = fopen(dump, "wb");
        if (!file || fwrite(buffer, sizeof *buffer, values, file) != values || fclose(file) != 0)
            fail("the values cannot be written to BENCH_DUMP");
    }
    printf("{\"open\":%.6f,\"read\":%.6f,\"cpu\":%.6f,\"rss_kb\":%ld,\"crc\":%lu,\"shape\":[", opened, read, cpu, memory,
           (unsigned long)crc32((const unsigned char *)buffer, values * sizeof *buffer));
    for (size_t i = 0; i < selected; i++)
        printf("%s%zu", i ? "," : "", count[i]);
    printf("]}\n");
    cfa_dataset_free(dataset);
    return EXIT_SUCCESS;
}
