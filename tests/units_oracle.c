/*
 * Oracle for the units tests: answers with what libudunits2 says.
 *
 * Each input line is "FROM TO", two unit texts in hexadecimal ("-" is the empty text), each trimmed by ut_trim().
 * Each output line is one of
 *   F            libudunits2 refuses FROM
 *   T            libudunits2 refuses TO
 *   N            not convertible
 *   C y y y ...  the converted sample points, as hexadecimal floating point
 * The process may die on odd input (libudunits2 asserts and exits): the caller starts it again.
 */
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <udunits2.h>

static const double points[] = {-1.5, 0.0, 2.75, 300.0};

static void decode(const char *hex, char *out)
{
    unsigned byte;
    if (*hex != '-')
        for (; sscanf(hex, "%2x", &byte) == 1; hex += 2)
            *out++ = (char)byte;
    *out = 0;
}

int main(void)
{
    static char line[40000], from_hex[20000], to_hex[20000], from_text[10001], to_text[10001];
    /* The scanner of libudunits2 echoes newlines to stdout: keep the answers on a descriptor of their own. */
    FILE *answers = fdopen(dup(1), "w");
    int null = open("/dev/null", O_WRONLY);
    dup2(null, 1);
    ut_set_error_message_handler(ut_ignore);
    ut_system *system = ut_read_xml(NULL);
    if (system == NULL || answers == NULL)
        return 2;
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (sscanf(line, "%19999s %19999s", from_hex, to_hex) != 2)
            return 3;
        decode(from_hex, from_text);
        decode(to_hex, to_text);
        ut_trim(from_text, UT_UTF8);
        ut_trim(to_text, UT_UTF8);
        ut_unit *from = ut_parse(system, from_text, UT_UTF8);
        ut_unit *to = ut_parse(system, to_text, UT_UTF8);
        if (from == NULL) {
            fputs("F\n", answers);
        } else if (to == NULL) {
            fputs("T\n", answers);
        } else {
            cv_converter *converter = ut_are_convertible(from, to) ? ut_get_converter(from, to) : NULL;
            if (converter == NULL) {
                fputs("N\n", answers);
            } else {
                fputc('C', answers);
                for (size_t i = 0; i < sizeof points / sizeof *points; i++)
                    fprintf(answers, " %a", cv_convert_double(converter, points[i]));
                fputc('\n', answers);
                cv_free(converter);
            }
        }
        ut_free(from);
        ut_free(to);
        fflush(answers);
    }
    return 0;
}
