// The file .aux.xml that GDAL keeps beside another one. The part of a band is parsed when it is first needed: with
// statistics of many thousands of bands, parsing them all would take most of the time of opening.
#ifndef CFA_GDAL_KEPT_H
#define CFA_GDAL_KEPT_H

#include <string>
#include <string_view>

#include "versions.h"

namespace cfa_gdal
{

class KeptBand;

class KeptDataset : public GDALPamDataset
{
  public:
    // A subdataset shares the file with others.
    void LoadKept(bool isSubdataset);

  private:
    friend class KeptBand;

    // Distributes the text to the bands. Returns false if its parts cannot be distinguished without parsing it.
    bool Distribute();

    // The file, as long as some of its text is not parsed.
    std::string m_text{};
};

// A band. Each function that reads or changes what is kept first parses the band's part.
class KeptBand : public GDALPamRasterBand
{
  public:
    KeptBand(KeptDataset &dataset);

    CPLXMLNode *SerializeToXML(const char *path) override;
    const char *GetDescription() const override;
    void SetDescription(const char *description) override;
    char **GetMetadataDomainList() override;
    CfaMetadataList GetMetadata(const char *domain = "") override;
    const char *GetMetadataItem(const char *name, const char *domain = "") override;
    CPLErr SetMetadata(CfaMetadataList list, const char *domain = "") override;
    CPLErr SetMetadataItem(const char *name, const char *value, const char *domain = "") override;
    double GetNoDataValue(int *has = nullptr) override;
    int64_t GetNoDataValueAsInt64(int *has = nullptr) override;
    uint64_t GetNoDataValueAsUInt64(int *has = nullptr) override;
    CPLErr SetNoDataValue(double value) override;
    CPLErr SetNoDataValueAsInt64(int64_t value) override;
    CPLErr SetNoDataValueAsUInt64(uint64_t value) override;
    CPLErr DeleteNoDataValue() override;
    GDALColorTable *GetColorTable() override;
    CPLErr SetColorTable(GDALColorTable *table) override;
    GDALColorInterp GetColorInterpretation() override;
    CPLErr SetColorInterpretation(GDALColorInterp interpretation) override;
    const char *GetUnitType() override;
    CPLErr SetUnitType(const char *unit) override;
    char **GetCategoryNames() override;
    CPLErr SetCategoryNames(char **names) override;
    double GetOffset(int *has = nullptr) override;
    CPLErr SetOffset(double offset) override;
    double GetScale(int *has = nullptr) override;
    CPLErr SetScale(double scale) override;
    CPLErr GetHistogram(double least, double most, int count, GUIntBig *histogram, int outside, int approximate,
                        GDALProgressFunc progress, void *data) override;
    CPLErr GetDefaultHistogram(double *least, double *most, int *count, GUIntBig **histogram, int force,
                               GDALProgressFunc progress, void *data) override;
    CPLErr SetDefaultHistogram(double least, double most, int count, GUIntBig *histogram) override;
    GDALRasterAttributeTable *GetDefaultRAT() override;
    CPLErr SetDefaultRAT(const GDALRasterAttributeTable *table) override;
    CPLErr CloneInfo(GDALRasterBand *source, int flags) override;

  private:
    friend class KeptDataset;

    void Load();

    KeptDataset &m_kept;
    // The band's element, in the dataset's text, until it is parsed.
    std::string_view m_element{};
};

} // namespace cfa_gdal

#endif
