// A group of an aggregation file.
#ifndef CFA_GDAL_GROUP_H
#define CFA_GDAL_GROUP_H

#include <memory>
#include <string>
#include <vector>

#include "file.h"

namespace cfa_gdal
{

class Group final : public GDALGroup
{
  public:
    static std::shared_ptr<Group> Create(const std::shared_ptr<File> &file, const cfa_group *group);

    // Options: SHOW_ALL=YES lists also what only defines fragments; SHOW_ZERO_DIM, SHOW_COORDINATES (as in coordinate
    // attributes), SHOW_BOUNDS, SHOW_INDEXING and SHOW_TIME as in the netCDF driver.
    std::vector<std::string> GetMDArrayNames(CSLConstList options = nullptr) const override;
    std::shared_ptr<GDALMDArray> OpenMDArray(const std::string &name, CSLConstList options = nullptr) const override;
    std::vector<std::string> GetGroupNames(CSLConstList options = nullptr) const override;
    std::shared_ptr<GDALGroup> OpenGroup(const std::string &name, CSLConstList options = nullptr) const override;
    std::vector<std::shared_ptr<GDALDimension>> GetDimensions(CSLConstList options = nullptr) const override;
    std::vector<std::shared_ptr<GDALAttribute>> GetAttributes(CSLConstList options = nullptr) const override;
    CSLConstList GetStructuralInfo() const override;

    Group(const std::shared_ptr<File> &file, const cfa_group *group, const std::string &parent, const std::string &name);

  private:
    bool IsShown(const cfa_variable *variable, CSLConstList options) const;

    std::shared_ptr<File> m_file;
    const cfa_group *m_group;
    CPLStringList m_structure{};
};

} // namespace cfa_gdal

#endif
