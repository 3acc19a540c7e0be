/* A library without feature "write" has every function: those that write say so, and checking works. */
#include "check.h"

int main(int argc, char **argv)
{
    (void)argc;
    const char *files[] = {"part_1.nc"}, *out = "never.nc";
    uint64_t violated = 0;
    cfa_create_options create = CFA_CREATE_OPTIONS_INIT;
    CHECK(strstr(cfa_version_features(), "write") == NULL);
    CHECK(cfa_aggregation_create(out, files, 1, &create) == CFA_ERR_NOT_BUILT);
    CHECK(strstr(cfa_last_error(), "write") != NULL);
    CHECK(cfa_aggregation_convert(files[0], out, NULL) == CFA_ERR_NOT_BUILT);
    CHECK(cfa_aggregation_extract(files[0], out, NULL) == CFA_ERR_NOT_BUILT);
    CHECK(fopen(out, "rb") == NULL);
    CHECK_OK(cfa_aggregation_check(in_directory(argv, "agg.nc"), NULL, &violated));
    CHECK(violated > 0);
    return 0;
}
