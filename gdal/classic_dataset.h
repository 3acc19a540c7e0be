// A variable as a raster: its last two dimensions are those of the image, each index of the others is a band.
#ifndef CFA_GDAL_CLASSIC_DATASET_H
#define CFA_GDAL_CLASSIC_DATASET_H

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "file.h"
#include "georeferencing.h"
#include "kept.h"
#include "metadata_layers.h"
#include "types.h"
#include "validity.h"

namespace cfa_gdal
{

// A dimension whose indices become bands, with the coordinates that label them.
struct BandDimension
{
    const cfa_dimension *dimension = nullptr;
    const cfa_variable *coordinate = nullptr;
    GUInt64 size = 0;
    // The coordinates as numbers or as texts, read on first use; both empty if there are none.
    std::vector<double> numbers{};
    // The bits of 64-bit integers, which a double may not represent exactly.
    std::vector<uint64_t> longs{};
    std::vector<std::string> texts{};
};

class ClassicDataset final : public KeptDataset
{
  public:
    // Returns NULL after CPLError.
    static std::unique_ptr<GDALDataset> Create(const std::shared_ptr<File> &file, const cfa_variable *variable,
                                               const char *description, bool isSubdataset);
    ~ClassicDataset() override;

    const OGRSpatialReference *GetSpatialRef() const override;
#if CFA_GDAL_GEOTRANSFORM_CLASS
    CPLErr GetGeoTransform(GDALGeoTransform &transform) const override;
#else
    CPLErr GetGeoTransform(double *transform) override;
#endif
    char **GetMetadataDomainList() override;
    CfaMetadataList GetMetadata(const char *domain = "") override;
    const char *GetMetadataItem(const char *name, const char *domain = "") override;
    CPLErr SetMetadata(CfaMetadataList list, const char *domain = "") override;
    CPLErr SetMetadataItem(const char *name, const char *value, const char *domain = "") override;
    char **GetFileList() override;
    CPLErr AdviseRead(int x, int y, int width, int height, int bufferWidth, int bufferHeight, GDALDataType type,
                      int bandCount, int *bands, CfaOptionList options) override;

    const cfa_variable *Variable() const
    {
        return m_variable;
    }

    // Whether Read can fill a buffer of this type.
    bool Reads(GDALDataType type) const
    {
        return EngineType(type) != 0 && m_validity.Serves(type);
    }

    // Reads count bands, beginning with first, along the last dimension of bands. Spaces are in bytes.
    // Returns false after CPLError.
    bool Read(int first, int count, int x, int y, int width, int height, void *buffer, GDALDataType type, GSpacing pixel,
              GSpacing line, GSpacing band) const;

    // Announces a read of these bands. Returns false after CPLError.
    bool Advise(int first, int count, int x, int y, int width, int height) const;

    // Whether large reads use several threads.
    bool ReadsInThreads() const
    {
        return m_file->ReadsInThreads();
    }

    // Returns the label of a band, such as "time=2001-03-01, level=850 hPa".
    std::string DescribeBand(int index);

    // Returns NETCDF_DIM_* of a band and the attributes of the variable.
    void AddBandMetadata(int index, CPLStringList &list);

  protected:
#if CFA_GDAL_CLONES
    // Copies, one for each thread that uses a dataset, share the open file and what is known of it.
    bool CanBeCloned(int scope, bool canShare) const override
    {
        return scope == GDAL_OF_RASTER && canShare;
    }
    std::unique_ptr<GDALDataset> Clone(int scope, bool canShare) const override;
#endif
    CPLErr IRasterIO(GDALRWFlag mode, int x, int y, int width, int height, void *buffer, int bufferWidth, int bufferHeight,
                     GDALDataType type, int bandCount, int *bands, GSpacing pixel, GSpacing line, GSpacing band,
                     GDALRasterIOExtraArg *extra) override;

  private:
    ClassicDataset(const std::shared_ptr<File> &file, const cfa_variable *variable);
    bool Shape();
    void MakeBands();
    void LoadCoordinates();
    CPLStringList MetadataOfFile();
    // Returns NULL if the file has nothing for the domain.
    MetadataLayers *Metadata(const char *domain);
    std::string ValueText(const BandDimension &dimension, size_t index) const;
    std::vector<size_t> IndexOf(int band) const;
    // The bands along the last dimension of bands and the rows and columns, as a part of the variable.
    Part PartOf(int first, int count, int x, int y, int width, int height) const;

    std::shared_ptr<File> m_file;
    const cfa_variable *m_variable;
    std::vector<BandDimension> m_bandDimensions{};
    bool m_hasRows = true;
    Validity m_validity{};
    bool m_isSubdataset = false;
    int m_blockWidth = 0;
    int m_blockHeight = 0;
    std::shared_ptr<const Georeferencing> m_georeferencing{};
    std::once_flag m_coordinatesOnce{};
    std::once_flag m_metadataOnce{};
    std::map<std::string, MetadataLayers> m_metadata{};
};

} // namespace cfa_gdal

#endif
