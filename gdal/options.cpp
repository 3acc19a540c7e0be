#include "options.h"

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "file.h"

namespace cfa_gdal
{

const char *const OPEN_OPTION_LIST =
    "<OpenOptionList>"
    "<Option name='ALLOWED_SOURCES' type='string' default='DEFAULT' description='What an aggregation file may open: "
    "SIBLINGS, LOCAL, DEFAULT, ALL, or absolute paths and URLs separated by semicolons'/>"
    "<Option name='MISSING_FRAGMENTS' type='string-select' default='ERROR' description='What a fragment of which no "
    "version exists gives'><Value>ERROR</Value><Value>FILL</Value></Option>"
    "<Option name='LOSSY_CASTS' type='boolean' default='NO' description='Convert fragments even where values change'/>"
    "<Option name='RAW_VIEW' type='boolean' default='NO' description='Show variables as stored instead of aggregated'/>"
    "<Option name='NUM_THREADS' type='string' default='ALL_CPUS' description='Threads that read fragments: a number or "
    "ALL_CPUS'/>"
    "<Option name='CACHE_BYTES' type='string' default='64M' description='Memory for decoded chunks, with suffix K, M or G; "
    "0 for none'/>"
    "<Option name='MAX_FRAGMENTS' type='unsigned int' default='10000000' description='Fragments that one variable may "
    "have'/>"
    "<Option name='MAX_NESTING' type='int' default='32' description='Depth of aggregations whose fragments are "
    "aggregations'/>"
    "<Option name='MAX_OPEN_FILES' type='int' default='100' description='Fragment files kept open at a time'/>"
    "<Option name='SUBSTITUTIONS' type='string' description='Replacements in fragment locations: ${key}=value;...'/>"
    "<Option name='RELOCATE' type='string' description='Location prefixes that moved: from=to;...'/>"
    "</OpenOptionList>";

namespace
{

// The value of a setting; NULL where neither option is given.
const char *Setting(CSLConstList options, const char *name)
{
    if (const char *value = CSLFetchNameValue(options, name))
        return value;
    const std::string key = std::string("GDAL_CFA_") + name;
    return CPLGetConfigOption(key.c_str(), nullptr);
}

bool Refuse(const char *name, const char *value, const char *expected)
{
    CPLError(CE_Failure, CPLE_IllegalArg, "CFA: option %s: '%s' is not %s", name, value, expected);
    return false;
}

bool Choice(CSLConstList options, const char *name, int32_t &out)
{
    const char *value = Setting(options, name);
    if (value == nullptr)
        return true;
    const bool yes = EQUAL(value, "YES") || EQUAL(value, "TRUE") || EQUAL(value, "ON") || EQUAL(value, "1");
    const bool no = EQUAL(value, "NO") || EQUAL(value, "FALSE") || EQUAL(value, "OFF") || EQUAL(value, "0");
    if (!yes && !no)
        return Refuse(name, value, "YES or NO");
    out = yes ? CFA_YES : CFA_NO;
    return true;
}

// A whole number with an optional binary suffix.
bool Number(const char *name, const char *value, bool suffix, uint64_t most, uint64_t &out)
{
    const char *const expected = suffix ? "a size such as 500K, 64M or 2G" : "a whole number in range";
    char *end = nullptr;
    errno = 0;
    const unsigned long long number = std::strtoull(value, &end, 10);
    if (end == value || errno != 0 || strchr(value, '-') != nullptr)
        return Refuse(name, value, expected);
    int shift = 0;
    if (suffix && *end != '\0')
    {
        const char *const letters = "KMG";
        const char *found = strchr(letters, toupper(static_cast<unsigned char>(*end)));
        if (found == nullptr || *found == '\0')
            return Refuse(name, value, expected);
        shift = 10 * static_cast<int>(found - letters + 1);
        ++end;
        if (EQUAL(end, "B") || EQUAL(end, "iB"))
            end += strlen(end);
    }
    if (*end != '\0' || number > (most >> shift))
        return Refuse(name, value, expected);
    out = static_cast<uint64_t>(number) << shift;
    return true;
}

bool Count(CSLConstList options, const char *name, uint64_t least, int32_t &out)
{
    const char *value = Setting(options, name);
    uint64_t number = 0;
    if (value == nullptr)
        return true;
    if (!Number(name, value, false, std::numeric_limits<int32_t>::max(), number))
        return false;
    if (number < least)
        return Refuse(name, value, "a whole number in range");
    out = static_cast<int32_t>(number);
    return true;
}

// GDAL's convention: its own GDAL_NUM_THREADS serves where no number is given for this driver.
bool Threads(CSLConstList options, int32_t &out)
{
    const char *value = Setting(options, "NUM_THREADS");
    if (value == nullptr)
        value = CPLGetConfigOption("GDAL_NUM_THREADS", nullptr);
    uint64_t number = 0;
    if (value == nullptr || EQUAL(value, "ALL_CPUS"))
        return true;
    if (!Number("NUM_THREADS", value, false, 1024, number))
        return false;
    out = static_cast<int32_t>(number);
    return true;
}

bool Fill(CSLConstList options, cfa_open_options &out)
{
    if (const char *value = Setting(options, "MISSING_FRAGMENTS"))
    {
        if (!EQUAL(value, "ERROR") && !EQUAL(value, "FILL"))
            return Refuse("MISSING_FRAGMENTS", value, "ERROR or FILL");
        out.missing_fragments = EQUAL(value, "FILL") ? CFA_MISSING_FILL : CFA_MISSING_ERROR;
    }
    if (const char *value = Setting(options, "CACHE_BYTES"))
    {
        if (!Number("CACHE_BYTES", value, true, std::numeric_limits<uint64_t>::max(), out.cache_bytes))
            return false;
        if (out.cache_bytes == 0)
            out.cache_disabled = CFA_YES;
    }
    if (const char *value = Setting(options, "MAX_FRAGMENTS"))
    {
        if (!Number("MAX_FRAGMENTS", value, false, std::numeric_limits<uint64_t>::max(), out.max_fragments))
            return false;
        if (out.max_fragments == 0)
            return Refuse("MAX_FRAGMENTS", value, "a whole number in range");
    }
    out.allowed_sources = Setting(options, "ALLOWED_SOURCES");
    out.substitutions = Setting(options, "SUBSTITUTIONS");
    out.relocate = Setting(options, "RELOCATE");
    if (!Choice(options, "LOSSY_CASTS", out.lossy_casts) || !Choice(options, "RAW_VIEW", out.raw_view) ||
        !Threads(options, out.num_threads) || !Count(options, "MAX_OPEN_FILES", 1, out.max_open_files) ||
        !Count(options, "MAX_NESTING", 0, out.max_nesting))
        return false;
    // Zero is the default in the structure, and no nesting at all is -1.
    if (out.max_nesting == 0 && Setting(options, "MAX_NESTING") != nullptr)
        out.max_nesting = -1;
    return true;
}

} // namespace

bool OpenDataset(const std::string &path, CSLConstList options, bool raw, cfa_dataset **dataset)
{
    cfa_open_options settings = CFA_OPEN_OPTIONS_INIT;
    if (!Fill(options, settings))
        return false;
    if (raw)
        settings.raw_view = CFA_YES;
    if (cfa_dataset_open(path.c_str(), &settings, dataset) == CFA_OK)
        return true;
    ReportEngineError();
    return false;
}

} // namespace cfa_gdal
