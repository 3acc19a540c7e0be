/* Files in memory, and files that a function of the program reads. */
#include "check.h"
#include <pthread.h>

/* A file of the directory, read by the functions below. */
typedef struct {
    unsigned char *bytes;
    size_t size;
    uint64_t fail_from;
    int released;
} store;

static store load(const char *path)
{
    store file = {NULL, 0, UINT64_MAX, 0};
    FILE *in = fopen(path, "rb");
    CHECK(in != NULL && fseek(in, 0, SEEK_END) == 0);
    file.size = (size_t)ftell(in);
    file.bytes = malloc(file.size);
    rewind(in);
    CHECK(file.bytes != NULL && fread(file.bytes, 1, file.size, in) == file.size && fclose(in) == 0);
    return file;
}

static int32_t read_store(uint64_t offset, size_t size, void *buffer, void *user_data)
{
    const store *file = user_data;
    CHECK(offset + size <= file->size);
    if (offset + size > file->fail_from)
        return 7;
    memcpy(buffer, file->bytes + offset, size);
    return 0;
}

static void release_store(void *user_data)
{
    ((store *)user_data)->released++;
}

/* Reads data of the two fragments, which lie beside the name. */
static void read_tas(const cfa_dataset *dataset)
{
    uint64_t start[] = {0, 0};
    size_t count[] = {4, 2};
    float values[8];
    CHECK_OK(cfa_variable_read(find(dataset, "tas"), start, count, NULL, NULL, CFA_TYPE_FLOAT32, sizeof values, values, NULL));
    CHECK(values[0] == 0 && values[3] == 11 && values[7] == 31);
}

static cfa_status read_one(const cfa_dataset *dataset)
{
    uint64_t start[] = {0, 0};
    size_t count[] = {1, 1};
    float value;
    return cfa_variable_read(find(dataset, "tas"), start, count, NULL, NULL, CFA_TYPE_FLOAT32, sizeof value, &value, NULL);
}

static void a_file_in_memory_is_opened(char **argv, const store *file)
{
    cfa_dataset *dataset = NULL, *other = NULL;
    cfa_open_options options = CFA_OPEN_OPTIONS_INIT;
    const char *name = in_directory(argv, "in_memory.nc");
    unsigned char *bytes = malloc(file->size);
    CHECK(bytes != NULL);
    memcpy(bytes, file->bytes, file->size);
    CHECK_OK(cfa_dataset_open_memory(bytes, file->size, name, NULL, &dataset));
    CHECK_OK(cfa_dataset_open_memory(bytes, file->size, name, NULL, &other));
    /* It was copied. */
    free(bytes);
    CHECK(strcmp(cfa_dataset_name(dataset), name) == 0);
    read_tas(dataset);
    cfa_dataset_free(dataset);
    read_tas(other);
    cfa_dataset_free(other);

    /* The access settings apply as if the file lay at its name. */
    options.allowed_sources = "/nowhere";
    CHECK_OK(cfa_dataset_open_memory(file->bytes, file->size, name, &options, &dataset));
    CHECK(read_one(dataset) == CFA_ERR_POLICY);
    cfa_dataset_free(dataset);
    /* A URL needs a library that reads from servers. */
    if (strstr(cfa_version_features(), "remote") == NULL)
        return;
    CHECK_OK(cfa_dataset_open_memory(file->bytes, file->size, "https://example.org/in_memory.nc", &options, &dataset));
    CHECK(strcmp(cfa_dataset_name(dataset), "https://example.org/in_memory.nc") == 0);
    CHECK(read_one(dataset) == CFA_ERR_POLICY);
    cfa_dataset_free(dataset);
}

static void what_is_wrong_with_memory_is_told(char **argv, const store *file)
{
    cfa_dataset *dataset = NULL;
    cfa_open_options odd = CFA_OPEN_OPTIONS_INIT;
    const char *name = in_directory(argv, "in_memory.nc");
    odd.raw_view = 99;
    CHECK(cfa_dataset_open_memory("hello", 5, name, NULL, &dataset) == CFA_ERR_NOT_NETCDF);
    CHECK(strstr(cfa_last_error(), "in_memory.nc") != NULL);
    CHECK(cfa_dataset_open_memory("", 0, name, NULL, &dataset) != CFA_OK);
    CHECK(cfa_dataset_open_memory(NULL, 0, name, NULL, &dataset) != CFA_OK);
    CHECK(cfa_dataset_open_memory(file->bytes, file->size / 2, name, NULL, &dataset) == CFA_ERR_DAMAGED);
    CHECK(cfa_dataset_open_memory(NULL, 5, name, NULL, &dataset) == CFA_ERR_ARGUMENT);
    CHECK(cfa_dataset_open_memory(file->bytes, file->size, NULL, NULL, &dataset) == CFA_ERR_ARGUMENT);
    CHECK(cfa_dataset_open_memory(file->bytes, file->size, name, NULL, NULL) == CFA_ERR_ARGUMENT);
    CHECK(cfa_dataset_open_memory(file->bytes, file->size, name, &odd, &dataset) == CFA_ERR_ARGUMENT);
    CHECK(cfa_dataset_open_memory(file->bytes, file->size, in_directory(argv, "no/such/place.nc"), NULL, &dataset) ==
          CFA_ERR_IO);
    CHECK(dataset == NULL);
}

static void a_function_reads_the_file(char **argv, store *file)
{
    cfa_dataset *dataset = NULL;
    const char *name = in_directory(argv, "fetched.nc");
    struct {
        cfa_source known;
        uint64_t unknown;
    } larger = {CFA_SOURCE_INIT, 1};
    cfa_source source = CFA_SOURCE_INIT;
    source.length = file->size;
    source.read = read_store;
    source.release = release_store;
    source.user_data = file;
    CHECK_OK(cfa_dataset_open_source(&source, name, NULL, &dataset));
    read_tas(dataset);
    CHECK(file->released == 0);
    cfa_dataset_free(dataset);
    CHECK(file->released == 1);

    /* After an error the source stays the caller's. */
    dataset = NULL;
    file->fail_from = 0;
    CHECK(cfa_dataset_open_source(&source, name, NULL, &dataset) == CFA_ERR_IO);
    CHECK(strstr(cfa_last_error(), "returned 7") && strstr(cfa_last_error(), "fetched.nc") && !cfa_last_error_is_absence());
    file->fail_from = UINT64_MAX;
    source.length = file->size / 2;
    CHECK(cfa_dataset_open_source(&source, name, NULL, &dataset) == CFA_ERR_DAMAGED);
    source.length = 0;
    CHECK(cfa_dataset_open_source(&source, name, NULL, &dataset) != CFA_OK);
    source.length = file->size;
    CHECK(cfa_dataset_open_source(NULL, name, NULL, &dataset) == CFA_ERR_ARGUMENT);
    CHECK(cfa_dataset_open_source(&source, NULL, NULL, &dataset) == CFA_ERR_ARGUMENT);
    CHECK(cfa_dataset_open_source(&source, name, NULL, NULL) == CFA_ERR_ARGUMENT);
    source.size = 3;
    CHECK(cfa_dataset_open_source(&source, name, NULL, &dataset) == CFA_ERR_ARGUMENT);
    source.size = sizeof source;
    source.read = NULL;
    CHECK(cfa_dataset_open_source(&source, name, NULL, &dataset) == CFA_ERR_ARGUMENT);
    larger.known = source;
    larger.known.read = read_store;
    larger.known.size = sizeof larger;
    CHECK(cfa_dataset_open_source(&larger.known, name, NULL, &dataset) == CFA_ERR_ARGUMENT);
    CHECK(dataset == NULL && file->released == 1);
    /* No function to release it. */
    larger.unknown = 0;
    larger.known.release = NULL;
    CHECK_OK(cfa_dataset_open_source(&larger.known, name, NULL, &dataset));
    /* Data of its own that cannot be read are an error of the read. */
    file->fail_from = 0;
    double lat[3];
    uint64_t start = 0;
    size_t count = 3;
    CHECK(cfa_variable_read(find(dataset, "lat"), &start, &count, NULL, NULL, CFA_TYPE_FLOAT64, sizeof lat, lat, NULL) ==
          CFA_ERR_IO);
    cfa_dataset_free(dataset);
    CHECK(file->released == 1);
    file->fail_from = UINT64_MAX;
}

static void *read_often(void *dataset)
{
    const cfa_variable *lat = find(dataset, "lat");
    for (int i = 0; i < 50; i++) {
        double values[3] = {0, 0, 0};
        uint64_t start = 0;
        size_t count = 3;
        CHECK_OK(cfa_variable_read(lat, &start, &count, NULL, NULL, CFA_TYPE_FLOAT64, sizeof values, values, NULL));
        CHECK(values[0] == -45 && values[2] == 45);
        read_tas(dataset);
    }
    return NULL;
}

static void threads_read_through_the_function(char **argv, store *file)
{
    cfa_dataset *dataset = NULL;
    cfa_open_options options = CFA_OPEN_OPTIONS_INIT;
    pthread_t threads[4];
    cfa_source source = CFA_SOURCE_INIT;
    source.length = file->size;
    source.read = read_store;
    source.release = release_store;
    source.user_data = file;
    /* Nothing is kept, so that the function is called each time. */
    options.cache_disabled = CFA_CHOICE_YES;
    file->released = 0;
    CHECK_OK(cfa_dataset_open_source(&source, in_directory(argv, "fetched.nc"), &options, &dataset));
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, read_often, dataset) == 0);
    for (int i = 0; i < 4; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(file->released == 0);
    cfa_dataset_free(dataset);
    CHECK(file->released == 1);
}

int main(int argc, char **argv)
{
    (void)argc;
    store file = load(in_directory(argv, "agg.nc"));
    a_file_in_memory_is_opened(argv, &file);
    what_is_wrong_with_memory_is_told(argv, &file);
    a_function_reads_the_file(argv, &file);
    threads_read_through_the_function(argv, &file);
    free(file.bytes);
    return 0;
}
