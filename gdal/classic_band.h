// One image of a variable.
#ifndef CFA_GDAL_CLASSIC_BAND_H
#define CFA_GDAL_CLASSIC_BAND_H

#include <memory>
#include <string>
#include <vector>

#include "classic_dataset.h"
#include "metadata_layers.h"

namespace cfa_gdal
{

// What all bands of a variable have in common.
struct BandTraits
{
    std::vector<GByte> noData{};
    GDALDataType type = GDT_Unknown;
    std::string unit{};
    double scale = 1.0;
    double offset = 0.0;
    bool hasScale = false;
    bool hasOffset = false;

    static BandTraits Of(const cfa_variable *variable);
};

class ClassicBand final : public KeptBand
{
  public:
    // index counts from 0. There may be many thousands of bands, so everything else is computed when it is needed.
    ClassicBand(ClassicDataset &dataset, const std::shared_ptr<const BandTraits> &traits, int index, GDALDataType type,
                int blockWidth, int blockHeight);

    const char *GetDescription() const override;
    void SetDescription(const char *description) override;
    char **GetMetadataDomainList() override;
    CfaMetadataList GetMetadata(const char *domain = "") override;
    const char *GetMetadataItem(const char *name, const char *domain = "") override;
    CPLErr SetMetadata(CfaMetadataList list, const char *domain = "") override;
    CPLErr SetMetadataItem(const char *name, const char *value, const char *domain = "") override;
    CPLXMLNode *SerializeToXML(const char *path) override;
    double GetNoDataValue(int *has = nullptr) override;
    int64_t GetNoDataValueAsInt64(int *has = nullptr) override;
    uint64_t GetNoDataValueAsUInt64(int *has = nullptr) override;
    double GetScale(int *has = nullptr) override;
    double GetOffset(int *has = nullptr) override;
    const char *GetUnitType() override;
    CPLErr AdviseRead(int x, int y, int width, int height, int bufferWidth, int bufferHeight, GDALDataType type,
                      CfaOptionList options) override;
#if CFA_GDAL_TELLS_THREADS
    bool MayMultiBlockReadingBeMultiThreaded() const override
    {
        return m_dataset.ReadsInThreads();
    }
#endif

  protected:
    CPLErr IReadBlock(int column, int row, void *buffer) override;
    CPLErr IRasterIO(GDALRWFlag mode, int x, int y, int width, int height, void *buffer, int bufferWidth, int bufferHeight,
                     GDALDataType type, GSpacing pixel, GSpacing line, GDALRasterIOExtraArg *extra) override;

  private:
    MetadataLayers &Metadata();
    const std::string &Label() const;

    ClassicDataset &m_dataset;
    std::shared_ptr<const BandTraits> m_traits;
    int m_index;
    mutable std::string m_label{};
    std::unique_ptr<MetadataLayers> m_metadata{};
    bool m_keeping = false;
};

} // namespace cfa_gdal

#endif
