#include "metadata_layers.h"

namespace cfa_gdal
{

namespace
{

// Calls f(key, value) for each item.
template <class F> void ForEachItem(CSLConstList items, F f)
{
    for (; items != nullptr && *items != nullptr; ++items)
    {
        char *key = nullptr;
        if (const char *value = CPLParseNameValue(*items, &key))
            f(key, value);
        CPLFree(key);
    }
}

} // namespace

char **MetadataLayers::With(CSLConstList set)
{
    if (set == nullptr || *set == nullptr)
        return m_file.List();
    if (m_both.empty())
    {
        m_both = m_file;
        ForEachItem(set, [this](const char *key, const char *value) { m_both.SetNameValue(key, value); });
    }
    return m_both.List();
}

CPLStringList MetadataLayers::Setting(CSLConstList given)
{
    CPLStringList other;
    ForEachItem(given, [this, &other](const char *key, const char *value) {
        if (Setting(key, value) != nullptr)
            other.SetNameValue(key, value);
    });
    m_both.Clear();
    return other;
}

const char *MetadataLayers::Setting(const char *name, const char *value)
{
    m_both.Clear();
    const char *own = m_file.FetchNameValue(name);
    return own != nullptr && value != nullptr && strcmp(own, value) == 0 ? nullptr : value;
}

} // namespace cfa_gdal
