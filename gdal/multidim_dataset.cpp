#include "multidim_dataset.h"

#include "group.h"

namespace cfa_gdal
{

std::unique_ptr<GDALDataset> MultidimDataset::Create(const std::shared_ptr<File> &file, const char *name)
{
    auto dataset = std::make_unique<MultidimDataset>(file);
    dataset->SetDescription(name);
    return dataset;
}

std::shared_ptr<GDALGroup> MultidimDataset::GetRootGroup() const
{
    return Group::Create(m_file, cfa_dataset_root(m_file->Dataset()));
}

} // namespace cfa_gdal
