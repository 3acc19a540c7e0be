// Metadata in two layers: those that a user set, above those of the file. GDAL saves the metadata that an object stores in
// a file beside ours, which takes precedence later. So objects store only what the user set: otherwise a rewritten file
// would keep its old description.
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

    // Returns both layers, valid until something is set.
    char **With(CSLConstList set);

    // Returns the items that a user sets and the file does not have. Invalidates what With returned.
    CPLStringList Setting(CSLConstList given);

    // The same for one item: its value, or NULL if the file has the same.
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
