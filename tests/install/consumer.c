/* A program of someone else: sums the values of tas. Its version of the header is that of the library it runs with. */
#include <cfa.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    cfa_dataset *dataset = NULL;
    const cfa_variable *tas = NULL;
    const uint64_t start[3] = {0, 0, 0};
    const size_t count[3] = {4, 3, 2};
    double values[24], sum = 0;
    uint8_t mask[24];
    cfa_read_options options = CFA_READ_OPTIONS_INIT;
    options.mask = mask;
    options.mask_bytes = sizeof mask;

    if (argc != 2 || cfa_version_number() != CFA_VERSION_MAJOR * 10000 + CFA_VERSION_MINOR * 100 + CFA_VERSION_PATCH)
        return 2;
    if (cfa_dataset_open(argv[1], NULL, &dataset) || cfa_dataset_variable_find(dataset, "tas", &tas) ||
        cfa_variable_read(tas, start, count, NULL, NULL, CFA_TYPE_FLOAT64, sizeof values, values, &options)) {
        fprintf(stderr, "%s\n", cfa_last_error());
        cfa_dataset_free(dataset);
        return 1;
    }
    for (int i = 0; i < 24; i++)
        if (mask[i])
            sum += values[i];
    cfa_dataset_free(dataset);
    printf("sum %.0f\n", sum);
    return 0;
}
