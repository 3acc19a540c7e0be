/* A directory with two days to make an aggregation of, for the tests that write. */
#ifndef SCRATCH_H
#define SCRATCH_H

#include "check.h"
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

/* A directory of this run beside the fixtures, since several runs may go on at once. */
static char scratch[2048];

static inline const char *at(const char *name)
{
    static char paths[8][4096];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", scratch, name);
    return path;
}

static inline int entries(void)
{
    int count = 0;
    DIR *directory = opendir(scratch);
    CHECK(directory != NULL);
    while (readdir(directory) != NULL)
        count++;
    closedir(directory);
    return count - 2;
}

static inline void copy(const char *from, const char *to)
{
    char bytes[65536];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    CHECK(in != NULL && out != NULL);
    size_t size = fread(bytes, 1, sizeof bytes, in);
    CHECK(size > 0 && size < sizeof bytes && fwrite(bytes, 1, size, out) == size);
    CHECK(fclose(out) == 0 && fclose(in) == 0);
}

static inline const char *const *both(void)
{
    static char first[4096], second[4096];
    static const char *names[3];
    snprintf(first, sizeof first, "%s", at("day_1.nc"));
    snprintf(second, sizeof second, "%s", at("day_2.nc"));
    /* The order does not matter. */
    names[0] = second;
    names[1] = first;
    return names;
}

/* The calls on the files of the directory. */
#define CREATE(options) cfa_aggregation_create(at("out.nc"), both(), 2, options)
#define CHECK_FILE(options) cfa_aggregation_check(at("agg.nc"), options, &violated)
#define CONVERT(options) cfa_aggregation_convert(at("agg.nc"), at("out.nc"), options)
#define EXTRACT(options) cfa_aggregation_extract(at("agg.nc"), at("out.nc"), options)

static inline void begin(char **argv)
{
    snprintf(scratch, sizeof scratch, "%s/writing.XXXXXX", argv[1] ? argv[1] : ".");
    CHECK(mkdtemp(scratch) != NULL);
    copy(in_directory(argv, "day_1.nc"), at("day_1.nc"));
    copy(in_directory(argv, "day_2.nc"), at("day_2.nc"));
}

/* No files may be left but those that are known. */
static inline void finish(void)
{
    CHECK(remove(at("agg.nc")) == 0 && remove(at("day_1.nc")) == 0 && remove(at("day_2.nc")) == 0);
    CHECK(rmdir(scratch) == 0);
}

#endif
