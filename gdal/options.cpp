#include "options.h"

#include "file.h"

#include <cctype>

namespace cfa_gdal
{

namespace
{

// GDAL's word for the form of a setting.
const char *TypeOf(const cfa_setting &setting)
{
    switch (setting.form)
    {
    case CFA_SETTING_BOOLEAN:
        return "boolean";
    case CFA_SETTING_INTEGER:
        return "unsigned int";
    case CFA_SETTING_NUMBER:
        return "float";
    case CFA_SETTING_WORD:
        return "string-select";
    default:
        return "string";
    }
}

std::string Escaped(const char *text)
{
    char *escaped = CPLEscapeString(text, -1, CPLES_XML);
    std::string result(escaped);
    CPLFree(escaped);
    return result;
}

// Returns the value of a setting, NULL if neither option is set. As in the environment, an empty value counts as unset.
const char *ValueOf(const cfa_setting &setting, CSLConstList options)
{
    if (const char *value = CSLFetchNameValue(options, setting.name))
        return value;
    const std::string key = std::string("GDAL_CFA_") + setting.name;
    const char *value = CPLGetConfigOption(key.c_str(), "");
    // By GDAL's convention, its own number of threads applies if none is set for this driver.
    if (*value == '\0' && EQUAL(setting.name, "NUM_THREADS"))
        value = CPLGetConfigOption("GDAL_NUM_THREADS", "");
    return *value == '\0' ? nullptr : value;
}

} // namespace

// The list is made from the engine's table of settings; the engine also checks the values.
std::string OpenOptionList()
{
    std::string list = "<OpenOptionList>";
    list += "<Option name=\"" + std::string(VARIABLE_OPTION) +
            "\" type=\"string\" description=\"The variable to be shown as a raster: name, or /group/name\"/>";
    for (size_t i = 0; i < cfa_setting_count(); ++i)
    {
        const cfa_setting &setting = *cfa_setting_at(i);
        std::string description = Escaped(setting.description);
        description[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(description[0])));
        // The escapes leave apostrophes as they are.
        list += "<Option name=\"" + Escaped(setting.name) + "\" type=\"" + TypeOf(setting) + "\" default=\"" +
                Escaped(setting.default_value) + "\" description=\"" + description + "\">";
        const CPLStringList words(CSLTokenizeString(setting.words));
        for (int word = 0; word < words.size(); ++word)
            list += "<Value>" + Escaped(words[word]) + "</Value>";
        list += "</Option>";
    }
    return list + "</OpenOptionList>";
}

bool AllowThreads(CSLConstList options)
{
    for (size_t i = 0; i < cfa_setting_count(); ++i)
    {
        const cfa_setting &setting = *cfa_setting_at(i);
        if (!EQUAL(setting.name, "NUM_THREADS"))
            continue;
        const char *value = ValueOf(setting, options);
        return !EQUAL(value == nullptr ? CPLGetConfigOption("CFA_NUM_THREADS", "") : value, "1");
    }
    return true;
}

bool OpenDataset(const std::string &path, CSLConstList options, bool raw, cfa_dataset **dataset)
{
    CPLStringList settings;
    for (size_t i = 0; i < cfa_setting_count(); ++i)
    {
        const cfa_setting &setting = *cfa_setting_at(i);
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
