// Metadata of the file below metadata that a user set. GDAL keeps what an object stores beside the file, and what is kept
// there wins: so objects store only what was set, or a file that is written anew would keep its old description.
#ifndef CFA_GDAL_METADATA_LAYERS_H
#define CFA_GDAL_METADATA_LAYERS_H

#include "versions.h"

namespace cfa_gdal
{

class MetadataLayers
{
  public:
    explicit MetadataLayers(const CPLStringList &file) : m_file(file)
    {
    }

    const CPLStringList &OfFile() const
    {
        return m_file;
    }

    // Both, valid until something is set.
    char **With(CSLConstList set);

    // What a user sets and the file does not say. What With gave ends.
    CPLStringList Setting(CSLConstList given);

    // The same for one item: NULL for what the file says.
    const char *Setting(const char *name, const char *value);

  private:
    CPLStringList m_file;
    CPLStringList m_both{};
};

inline bool IsDefaultDomain(const char *domain)
{
    return domain == nullptr || *domain == '\0';
}

} // namespace cfa_gdal

#endif
