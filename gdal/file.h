// An open aggregation file, shared by all GDAL objects made of it: arrays may outlive the dataset they came from.
#ifndef CFA_GDAL_FILE_H
#define CFA_GDAL_FILE_H

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cfa.h"
#include "versions.h"

namespace cfa_gdal
{

// Hands the message of the last failed call of this thread to GDAL; never as a format string.
void ReportEngineError();

class Roles;

class File
{
  public:
    // Opens a file with these open options of GDAL; NULL after CPLError.
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

    // The same file without aggregation, for lists of everything stored; NULL after CPLError.
    const cfa_dataset *RawDataset();

    // Hands to GDAL, once each, the warnings that reading has added: oddities that were tolerated. Not after a failure,
    // whose message would no longer be the last one.
    void TellWarnings() const;

    // Statistics and spatial references kept beside the file.
    const std::shared_ptr<GDALPamMultiDim> &Pam() const
    {
        return m_pam;
    }

    // The variable at a path, also when it only defines fragments; NULL without CPLError.
    const cfa_variable *Find(const std::string &path) const;

    // A variable named from within a group: as a path, in the group, or in the nearest group above.
    const cfa_variable *Resolve(const cfa_group *group, const std::string &name) const;

    // The coordinate variable of a dimension, in its group or, for a variable of a group below, in the nearest to that;
    // NULL if there is none.
    const cfa_variable *CoordinateOf(const cfa_dimension *dimension, const cfa_group *from = nullptr) const;

    // The variable with the values along a dimension: its coordinate variable or, without one, the variable of another
    // name that serves as such; NULL if there is none.
    const cfa_variable *IndexingVariableOf(const cfa_dimension *dimension, const cfa_group *from = nullptr) const;

    // The parts that the variables play for each other.
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
    std::shared_ptr<GDALPamMultiDim> m_pam;
};

// The text of an attribute of a variable; "" if there is none.
std::string TextAttribute(const cfa_variable *variable, const char *name);

// Whether a variable has values along a dimension and no other.
bool IsAlong(const cfa_variable *variable, const cfa_dimension *dimension);

// The dimensions of a variable; false after CPLError when its aggregation is not well formed.
bool DimensionsOf(const cfa_variable *variable, std::vector<const cfa_dimension *> &dimensions);

// The name of a dialect as its convention spells it.
const char *DialectName(int32_t dialect);

} // namespace cfa_gdal

#endif
