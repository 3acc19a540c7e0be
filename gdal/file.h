// An open aggregation file, shared by all GDAL objects made from it, since arrays may outlive their dataset.
#ifndef CFA_GDAL_FILE_H
#define CFA_GDAL_FILE_H

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cfa.h"
#include "versions.h"

namespace cfa_gdal
{

// Passes the message of the last failed call of this thread to GDAL, never as a format string.
void ReportEngineError();

class Georeferencing;
class Roles;

class File
{
  public:
    // Opens a file with these open options of GDAL. Returns NULL after CPLError.
    static std::shared_ptr<File> Open(const std::string &path, CSLConstList options);
    ~File();
    File(const File &) = delete;
    File &operator=(const File &) = delete;

    const std::string &Path() const
    {
        return m_path;
    }

    const cfa_dataset *Dataset() const
    {
        return m_dataset;
    }

    // Opens the same file in the raw view, to list everything that is stored. Returns NULL after CPLError.
    const cfa_dataset *RawDataset();

    // Passes each warning that reading has added to GDAL, once. Must not be called after a failure, since its message
    // would no longer be the last one.
    void TellWarnings() const;

    // Statistics and spatial references that are stored beside the file.
    const std::shared_ptr<GDALPamMultiDim> &Pam() const
    {
        return m_pam;
    }

    // Returns the variable at a path, even one that only defines fragments; NULL, without CPLError, if there is none.
    const cfa_variable *Find(const std::string &path) const;

    // Finds a variable that a group refers to: by its path, in the group, or in the nearest group above.
    const cfa_variable *Resolve(const cfa_group *group, const std::string &name) const;

    // Returns the coordinate variable of a dimension: in the group of the dimension or, for a variable of a group below,
    // in the group nearest to that variable. NULL if there is none.
    const cfa_variable *CoordinateOf(const cfa_dimension *dimension, const cfa_group *from = nullptr) const;

    // Returns the variable with the values along a dimension: its coordinate variable or, if there is none, the variable
    // of another name that takes its place. NULL if there is neither.
    const cfa_variable *IndexingVariableOf(const cfa_dimension *dimension, const cfa_group *from = nullptr) const;

    // Returns where the raster of a variable lies, which is found out once.
    std::shared_ptr<const Georeferencing> GeoreferencingOf(const cfa_variable *variable) const;

    // Whether large reads use several threads.
    bool ReadsInThreads() const;

    // Returns which variables describe which others.
    const Roles &VariableRoles() const;

  private:
    File(std::string path, CSLConstList options, cfa_dataset *dataset);

    std::string m_path;
    CPLStringList m_options;
    cfa_dataset *m_dataset;
    cfa_dataset *m_raw = nullptr;
    std::mutex m_rawMutex{};
    mutable std::mutex m_toldMutex{};
    mutable size_t m_told = 0;
    mutable std::once_flag m_rolesOnce{};
    mutable std::unique_ptr<const Roles> m_roles{};
    mutable std::mutex m_georeferencingMutex{};
    mutable std::map<const cfa_variable *, std::shared_ptr<const Georeferencing>> m_georeferencing{};
    std::shared_ptr<GDALPamMultiDim> m_pam;
};

// The text of an attribute of a variable; "" if there is none.
std::string TextAttribute(const cfa_variable *variable, const char *name);

// Whether a variable has values along a dimension and no other.
bool IsAlong(const cfa_variable *variable, const cfa_dimension *dimension);

// Determines the dimensions of a variable. Returns false after CPLError if its aggregation is not well formed.
bool DimensionsOf(const cfa_variable *variable, std::vector<const cfa_dimension *> &dimensions);

// The name of a dialect as its convention spells it.
const char *DialectName(int32_t dialect);

} // namespace cfa_gdal

#endif
