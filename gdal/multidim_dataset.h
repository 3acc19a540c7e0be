// An aggregation file opened in the multidimensional way.
#ifndef CFA_GDAL_MULTIDIM_DATASET_H
#define CFA_GDAL_MULTIDIM_DATASET_H

#include <memory>

#include "file.h"

namespace cfa_gdal
{

class MultidimDataset final : public GDALDataset
{
  public:
    static std::unique_ptr<GDALDataset> Create(const std::shared_ptr<File> &file, const char *name);

    std::shared_ptr<GDALGroup> GetRootGroup() const override;

    explicit MultidimDataset(const std::shared_ptr<File> &file) : m_file(file)
    {
    }

  private:
    std::shared_ptr<File> m_file;
};

} // namespace cfa_gdal

#endif
