/* A program may have functions with the names of those inside the static library: neither takes the other's place. */
#include "check.h"

static int calls;

/* Were the library to call these for its own, no read of compressed data would come to an end. */
size_t ZSTD_decompress(void);
void *libdeflate_alloc_decompressor(void);

size_t ZSTD_decompress(void)
{
    calls++;
    return 0;
}

void *libdeflate_alloc_decompressor(void)
{
    calls++;
    return NULL;
}

int main(int argc, char **argv)
{
    uint64_t start[2] = {0, 0};
    size_t count[2] = {2, 3};
    double values[6];
    (void)argc;
    cfa_dataset *dataset = open_file(argv, "part_1.nc");
    CHECK_OK(cfa_variable_read(find(dataset, "tas"), start, count, NULL, NULL, CFA_TYPE_FLOAT64, sizeof values, values, NULL));
    CHECK(values[0] == 0 && values[5] == 12);
    cfa_dataset_free(dataset);
    CHECK(calls == 0);
    CHECK(ZSTD_decompress() == 0 && !libdeflate_alloc_decompressor() && calls == 2);
    return 0;
}
