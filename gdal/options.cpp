#include "options.h"

#include "file.h"

namespace cfa_gdal
{

namespace
{

// A setting of the engine. It judges the values; the rest is for those who read the list.
struct Setting
{
    const char *name;
    const char *type;
    const char *standard;
    const char *description;
    // The words it takes, with blanks between; "" for any text.
    const char *words;
};

const Setting SETTINGS[] = {
    {"ALLOWED_SOURCES", "string", "DEFAULT",
     "What an aggregation file may open: SIBLINGS, LOCAL, DEFAULT, ALL, or absolute paths and URLs separated by semicolons",
     ""},
    {"ALLOW_PRIVATE_NETWORK", "boolean", "NO", "Open loopback, private and link-local network addresses", ""},
    {"HTTP_CONNECT_TIMEOUT", "float", "5", "Seconds that finding and connecting to a server may take", ""},
    {"HTTP_STALL_TIMEOUT", "float", "30", "Seconds that a server may send nothing", ""},
    {"HTTP_MAX_RETRY", "unsigned int", "5", "How often a request that failed is tried again", ""},
    {"HTTP_DEADLINE", "float", "180", "Seconds that a request may take, with all that is tried again", ""},
    {"MISSING_FRAGMENTS", "string-select", "ERROR", "What a fragment of which no version exists gives", "ERROR FILL"},
    {"MISSING_BYTES", "string", "ERROR",
     "ERROR, or the no-data value for missing data in aggregated bytes without a missing value of their own", ""},
    {"CHANGED_FRAGMENTS", "string-select", "WARN", "What a fragment that changed since its state was recorded gives",
     "WARN ERROR IGNORE"},
    {"LOSSY_CASTS", "boolean", "NO", "Convert fragments even where values change", ""},
    {"RAW_VIEW", "boolean", "NO", "Show variables as stored instead of aggregated", ""},
    {"NUM_THREADS", "string", "ALL_CPUS", "Threads that read fragments: a number or ALL_CPUS", ""},
    {"CACHE_BYTES", "string", "64M", "Memory for decoded chunks, with suffix K, M or G; 0 for none", ""},
    {"MAX_FRAGMENTS", "unsigned int", "10000000", "Fragments that one variable may have", ""},
    {"MAX_NESTING", "unsigned int", "32", "Depth of aggregations whose fragments are aggregations", ""},
    {"MAX_OPEN_FILES", "unsigned int", "100", "Fragment files kept open at a time", ""},
    {"SUBSTITUTIONS", "string", "", "Replacements in fragment locations: ${key}=value;...", ""},
    {"RELOCATE", "string", "", "Location prefixes that moved: from=to;...", ""},
    {"FRAGMENT_DRIVERS", "string", "GTiff,GRIB,Zarr,HDF4",
     "Drivers that may read fragments that are not netCDF: some of the default ones with commas between, or NONE", ""},
};

// The value of a setting; NULL where neither option is given. As in the environment, empty is not given.
const char *ValueOf(const Setting &setting, CSLConstList options)
{
    if (const char *value = CSLFetchNameValue(options, setting.name))
        return value;
    const std::string key = std::string("GDAL_CFA_") + setting.name;
    const char *value = CPLGetConfigOption(key.c_str(), "");
    // GDAL's convention: its own number serves where none is given for this driver.
    if (*value == '\0' && EQUAL(setting.name, "NUM_THREADS"))
        value = CPLGetConfigOption("GDAL_NUM_THREADS", "");
    return *value == '\0' ? nullptr : value;
}

} // namespace

std::string OpenOptionList()
{
    std::string list = "<OpenOptionList>";
    for (const Setting &setting : SETTINGS)
    {
        list += std::string("<Option name='") + setting.name + "' type='" + setting.type + "' default='" + setting.standard +
                "' description='" + setting.description + "'>";
        const CPLStringList words(CSLTokenizeString(setting.words));
        for (int i = 0; i < words.size(); ++i)
            list += std::string("<Value>") + words[i] + "</Value>";
        list += "</Option>";
    }
    return list + "</OpenOptionList>";
}

bool OpenDataset(const std::string &path, CSLConstList options, bool raw, cfa_dataset **dataset)
{
    CPLStringList settings;
    for (const Setting &setting : SETTINGS)
    {
        if (const char *value = ValueOf(setting, options))
            settings.SetNameValue(setting.name, value);
    }
    cfa_open_options given = CFA_OPEN_OPTIONS_INIT;
    given.settings = settings.List();
    if (raw)
        given.raw_view = CFA_CHOICE_YES;
    if (cfa_dataset_open(path.c_str(), &given, dataset) == CFA_OK)
        return true;
    ReportEngineError();
    return false;
}

} // namespace cfa_gdal
