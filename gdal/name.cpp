#include "name.h"

#include <cpl_vsi.h>
#include <cstring>

namespace cfa_gdal
{

namespace
{

// The path in quotes, as GDAL writes it: \" for a quote. Backslashes are doubled only before a quote, where they would
// count as escapes, so that other paths stay as they are.
std::string Quote(const std::string &path)
{
    std::string quoted = "\"";
    size_t backslashes = 0;
    for (const char c : path)
    {
        if (c == '"')
            quoted.append(backslashes + 1, '\\');
        backslashes = c == '\\' ? backslashes + 1 : 0;
        quoted += c;
    }
    return quoted.append(backslashes, '\\') + '"';
}

// Parses a path in quotes at the beginning of a text. Returns the number of its characters, 0 if there is none. A quote
// ends the path only if a colon or nothing follows.
size_t Unquote(const std::string &text, std::string &path)
{
    size_t backslashes = 0;
    for (size_t i = 1; i < text.size() && text[0] == '"'; ++i)
    {
        if (text[i] == '"')
        {
            path.resize(path.size() - (backslashes + 1) / 2);
            if (backslashes % 2 == 0 && (i + 1 == text.size() || text[i + 1] == ':'))
                return i + 1;
        }
        backslashes = text[i] == '\\' ? backslashes + 1 : 0;
        path += text[i];
    }
    path.clear();
    return 0;
}

} // namespace

bool Name::HasPrefix(const char *name)
{
    return STARTS_WITH_CI(name, "CFA:");
}

Name Name::Parse(const char *text)
{
    Name name;
    if (!HasPrefix(text))
    {
        name.path = name.written = text;
        return name;
    }
    const std::string rest(text + strlen("CFA:"));
    if (const size_t length = Unquote(rest, name.path))
    {
        name.written = rest.substr(0, length);
        if (length < rest.size())
            name.variable = rest.substr(length + 1);
        return name;
    }
    VSIStatBufL status;
    const size_t colon = rest.rfind(':');
    if (colon == std::string::npos || VSIStatL(rest.c_str(), &status) == 0)
    {
        name.path = name.written = rest;
        return name;
    }
    name.path = name.written = rest.substr(0, colon);
    name.variable = rest.substr(colon + 1);
    return name;
}

std::string Name::Of(const std::string &path, const std::string &variable)
{
    // As the netCDF driver has them: a path only where there are groups.
    const bool root = variable.rfind('/') == 0;
    return "CFA:" + Quote(path) + ":" + (root ? variable.substr(1) : variable);
}

std::string Shown(std::string name)
{
    constexpr size_t most = 600;
    const size_t host = name.find("//");
    const size_t at = name.rfind('@');
    if (host != std::string::npos && at != std::string::npos && at > host)
        name.erase(host + 2, at + 1 - (host + 2));
    const size_t query = name.find_first_of("?#");
    if (query != std::string::npos)
        name.replace(query + 1, std::string::npos, "...");
    // Marks of the direction of writing: U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069.
    for (const char *mark : {"\xd8\x9c", "\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xaa", "\xe2\x80\xab", "\xe2\x80\xac",
                             "\xe2\x80\xad", "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x81\xa7", "\xe2\x81\xa8", "\xe2\x81\xa9"})
        for (size_t found; (found = name.find(mark)) != std::string::npos;)
            name.replace(found, std::strlen(mark), "?");
    if (name.size() > most)
        name = name.substr(0, most / 2) + " ... " + name.substr(name.size() - most / 2);
    bool afterC2 = false;
    for (char &c : name)
    {
        const auto byte = static_cast<unsigned char>(c);
        // U+0080 to U+009F have two bytes of UTF-8.
        if (byte < 0x20 || byte == 0x7f || (afterC2 && byte < 0xa0))
            c = afterC2 ? '\xbf' : '?';
        afterC2 = byte == 0xc2;
    }
    return name;
}

} // namespace cfa_gdal
