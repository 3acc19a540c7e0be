#include "subdataset_info.h"

#if CFA_GDAL_SUBDATASET_INFO

#include <memory>

#include "name.h"

namespace cfa_gdal
{

namespace
{

class SubdatasetInfo final : public GDALSubdatasetInfo
{
  public:
    using GDALSubdatasetInfo::GDALSubdatasetInfo;

  private:
    void parseFileName() override
    {
        const Name name = Name::Parse(m_fileName.c_str());
        m_driverPrefixComponent = "CFA";
        // GDAL searches the name for this text to replace it, so it is the path as written. After an escaped backslash
        // that search would never end.
        m_pathComponent = name.written.find("\\\\\"") == std::string::npos ? name.written : name.path;
        m_subdatasetComponent = name.variable;
    }
};

} // namespace

GDALSubdatasetInfo *GetSubdatasetInfo(const char *name)
{
    if (!Name::HasPrefix(name))
        return nullptr;
    auto info = std::make_unique<SubdatasetInfo>(name);
    return info->GetPathComponent().empty() ? nullptr : info.release();
}

} // namespace cfa_gdal

#endif
