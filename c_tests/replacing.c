/* No function replaces what it reads, nor anything that holds data, unless `overwrite` is set. */
#define _POSIX_C_SOURCE 200809L
#include "scratch.h"

/* Whether a file is the day that it was. */
static int is_day(const char *name)
{
    cfa_dataset *dataset = NULL;
    uint64_t shape[2];
    if (cfa_dataset_open(at(name), NULL, &dataset) != CFA_OK)
        return 0;
    const cfa_variable *tas = find(dataset, "tas");
    int same = !cfa_variable_is_aggregated(tas) && cfa_variable_shape(tas, 2, shape) == CFA_OK && shape[0] == 2;
    cfa_dataset_free(dataset);
    return same;
}

static int is_aggregation(const char *name)
{
    int32_t found = 0, dialect = 0;
    CHECK_OK(cfa_file_identify(at(name), &found, &dialect));
    return found;
}

#define REFUSED(call, word)                          \
    do {                                             \
        CHECK((call) == CFA_ERR_ARGUMENT);           \
        CHECK(strstr(cfa_last_error(), word) != NULL); \
    } while (0)

static void what_is_read_is_never_replaced(void)
{
    cfa_create_options create = CFA_CREATE_OPTIONS_INIT;
    cfa_convert_options convert = CFA_CONVERT_OPTIONS_INIT;
    cfa_extract_options extract = CFA_EXTRACT_OPTIONS_INIT;
    const char *const *files = both();
    const char *pattern[1], *aggregation[1];
    CHECK(link(at("day_1.nc"), at("hard.nc")) == 0);
    CHECK(symlink("day_1.nc", at("soft.nc")) == 0);
    static const char *const names[] = {"day_1.nc", "hard.nc", "soft.nc"};
    for (int overwrite = 0; overwrite < 2; overwrite++) {
        create.overwrite = convert.overwrite = extract.overwrite = overwrite ? CFA_CHOICE_YES : CFA_CHOICE_DEFAULT;
        for (int i = 0; i < 3; i++) {
            int before = entries();
            create.expand = CFA_CHOICE_NO;
            REFUSED(cfa_aggregation_create(at(names[i]), files, 2, &create), "input");
            create.expand = CFA_CHOICE_YES;
            create.dry_run = CFA_CHOICE_YES;
            pattern[0] = at("day_?.nc");
            REFUSED(cfa_aggregation_create(at(names[i]), pattern, 1, &create), "input");
            create.dry_run = CFA_CHOICE_NO;
            aggregation[0] = at("agg.nc");
            const char *word = overwrite ? "fragment" : names[i];
            REFUSED(cfa_aggregation_create(at(names[i]), aggregation, 1, &create), word);
            REFUSED(cfa_aggregation_convert(at("agg.nc"), at(names[i]), &convert), word);
            REFUSED(cfa_aggregation_extract(at("agg.nc"), at(names[i]), &extract), word);
            CHECK(is_day(names[i]) && entries() == before);
        }
        REFUSED(cfa_aggregation_convert(at("agg.nc"), at("agg.nc"), &convert), "input");
        REFUSED(cfa_aggregation_extract(at("agg.nc"), at("agg.nc"), &extract), "input");
    }
    CHECK(remove(at("hard.nc")) == 0 && remove(at("soft.nc")) == 0);
    CHECK(is_aggregation("agg.nc"));
}

static void data_are_replaced_only_when_asked(void)
{
    cfa_create_options create = CFA_CREATE_OPTIONS_INIT;
    cfa_convert_options convert = CFA_CONVERT_OPTIONS_INIT;
    cfa_extract_options extract = CFA_EXTRACT_OPTIONS_INIT;
    copy(at("day_1.nc"), at("out.nc"));
    REFUSED(CREATE(&create), "overwrite");
    REFUSED(CONVERT(&convert), "overwrite");
    REFUSED(EXTRACT(&extract), "overwrite");
    CHECK(is_day("out.nc"));
    /* Nothing is added to a file that is not an aggregation. */
    create.update = CFA_CHOICE_YES;
    REFUSED(CREATE(&create), "aggregation");
    create.overwrite = CFA_CHOICE_YES;
    REFUSED(CREATE(&create), "update is CFA_CHOICE_YES");
    CHECK(is_day("out.nc"));
    create.update = CFA_CHOICE_NO;
    CHECK_OK(CREATE(&create));
    CHECK(is_aggregation("out.nc"));
    /* An aggregation without data of its own is replaced. */
    CHECK_OK(CREATE(NULL));
    CHECK_OK(CONVERT(NULL));
    REFUSED(EXTRACT(NULL), "overwrite");
    extract.overwrite = CFA_CHOICE_YES;
    CHECK_OK(EXTRACT(&extract));
    CHECK_OK(EXTRACT(&extract));
    REFUSED(CONVERT(NULL), "overwrite");
    convert.overwrite = CFA_CHOICE_YES;
    CHECK_OK(CONVERT(&convert));
    CHECK(is_aggregation("out.nc") && remove(at("out.nc")) == 0);
}

static void reports_replace_reports(void)
{
    cfa_check_options options = CFA_CHECK_OPTIONS_INIT;
    uint64_t violated = 99;
    int before = entries();
    options.html_report = at("agg.nc");
    REFUSED(CHECK_FILE(&options), "agg.nc");
    options.html_report = at("day_1.nc");
    REFUSED(CHECK_FILE(&options), "day_1.nc");
    options.html_report = NULL;
    options.json_report = at("day_2.nc");
    REFUSED(CHECK_FILE(&options), "day_2.nc");
    options.html_report = options.json_report = at("report");
    REFUSED(CHECK_FILE(&options), "report");
    CHECK(violated == 99 && is_day("day_1.nc") && is_day("day_2.nc") && entries() == before);
    for (int i = 0; i < 2; i++) {
        options.html_report = at("report.html");
        options.json_report = at("report.json");
        CHECK_OK(CHECK_FILE(&options));
    }
    /* One kind does not replace the other. */
    options.html_report = at("report.json");
    options.json_report = NULL;
    REFUSED(CHECK_FILE(&options), "report.json");
    options.html_report = NULL;
    options.json_report = at("report.html");
    REFUSED(CHECK_FILE(&options), "report.html");
    CHECK(remove(at("report.html")) == 0 && remove(at("report.json")) == 0);
}

/* Names that are not UTF-8, in every argument that takes one. */
static void names_are_bytes(void)
{
    cfa_create_options create = CFA_CREATE_OPTIONS_INIT;
    cfa_check_options check = CFA_CHECK_OPTIONS_INIT;
    const char *files[2];
    uint64_t violated = 99;
    copy(at("day_1.nc"), at("d\xe9_1.nc"));
    copy(at("day_2.nc"), at("d\xe9_2.nc"));
    files[0] = at("d\xe9_2.nc");
    files[1] = at("d\xe9_1.nc");
    CHECK_OK(cfa_aggregation_create(at("a\xff.nc"), files, 2, NULL));
    create.expand = CFA_CHOICE_YES;
    files[0] = at("d\xe9_?.nc");
    CHECK_OK(cfa_aggregation_create(at("a\xff.nc"), files, 1, &create));
    check.fragments = CFA_CHOICE_YES;
    CHECK_OK(cfa_aggregation_check(at("a\xff.nc"), &check, &violated));
    CHECK(violated == 0);
    CHECK_OK(cfa_aggregation_convert(at("a\xff.nc"), at("c\xff.nc"), NULL));
    CHECK_OK(cfa_aggregation_extract(at("a\xff.nc"), at("e\xff.nc"), NULL));
    create.expand = CFA_CHOICE_NO;
    create.dialect = CFA_DIALECT_CFA_0_4;
    files[0] = at("d\xe9_2.nc");
    files[1] = at("d\xe9_1.nc");
    CHECK(cfa_aggregation_create(at("a\xff.nc"), files, 2, &create) == CFA_ERR_UNSUPPORTED);
    CHECK(strstr(cfa_last_error(), "d\\xE9_1.nc") != NULL);
    CHECK(remove(at("d\xe9_1.nc")) == 0 && remove(at("d\xe9_2.nc")) == 0 && remove(at("a\xff.nc")) == 0);
    CHECK(remove(at("c\xff.nc")) == 0 && remove(at("e\xff.nc")) == 0);
}

int main(int argc, char **argv)
{
    (void)argc;
    begin(argv);
    CHECK_OK(cfa_aggregation_create(at("agg.nc"), both(), 2, NULL));
    what_is_read_is_never_replaced();
    data_are_replaced_only_when_asked();
    reports_replace_reports();
    names_are_bytes();
    finish();
    return 0;
}
