/* Used by every C test: CHECK reports the place of a failure and ends the program. */
#ifndef CHECK_H
#define CHECK_H

#include <cfa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                    \
    do {                                                                                                    \
        if (!(condition)) {                                                                                 \
            fprintf(stderr, "%s:%d: %s\n  last error: %s\n", __FILE__, __LINE__, #condition, cfa_last_error()); \
            exit(1);                                                                                        \
        }                                                                                                   \
    } while (0)

#define CHECK_OK(call) CHECK((call) == CFA_OK)

/* The path of a file in the directory of the test. */
static inline const char *in_directory(char **argv, const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", argv[1] ? argv[1] : ".", name);
    return path;
}

static inline cfa_dataset *open_file(char **argv, const char *name)
{
    cfa_dataset *dataset = NULL;
    CHECK_OK(cfa_dataset_open(in_directory(argv, name), NULL, &dataset));
    CHECK(dataset != NULL);
    return dataset;
}

static inline const cfa_variable *find(const cfa_dataset *dataset, const char *path)
{
    const cfa_variable *variable = NULL;
    CHECK_OK(cfa_dataset_variable_find(dataset, path, &variable));
    CHECK(variable != NULL);
    return variable;
}

#endif
