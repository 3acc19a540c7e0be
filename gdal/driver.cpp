// The driver: which files it recognises, and how it opens them.
#include <cstring>
#include <memory>
#include <string_view>

#include "classic_dataset.h"
#include "file.h"
#include "multidim_dataset.h"
#include "name.h"
#include "options.h"
#include "subdataset_info.h"
#include "subdatasets.h"

namespace cfa_gdal
{

namespace
{

bool LooksLikeNetcdf(const GDALOpenInfo *info)
{
    static const unsigned char hdf5[] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    const int length = info->nHeaderBytes;
    if (length < 8)
        return false;
    if (memcmp(info->pabyHeader, "CDF", 3) == 0)
        return true;
    // The signature may follow a user block of 512 bytes or a power of two more.
    for (const int at : {0, 512})
    {
        if (length >= at + 8 && memcmp(info->pabyHeader + at, hdf5, sizeof(hdf5)) == 0)
            return true;
    }
    return false;
}

// A small classic file that GDAL has read whole: the names of its attributes are plain text.
bool IsReadAndWithoutMention(const GDALOpenInfo *info)
{
    if (info->pabyHeader[0] != 'C' || info->nHeaderBytes >= 1024)
        return false;
    const std::string_view bytes(reinterpret_cast<const char *>(info->pabyHeader), static_cast<size_t>(info->nHeaderBytes));
    return bytes.find("aggregated_d") == bytes.npos && bytes.find("cfa_") == bytes.npos;
}

// Searches the file, since the attribute of an aggregation may be anywhere in it.
bool Probe(const GDALOpenInfo *info)
{
    int32_t aggregation = 0;
    return LooksLikeNetcdf(info) && !IsReadAndWithoutMention(info) &&
           cfa_file_identify(info->pszFilename, &aggregation, nullptr) == CFA_OK && aggregation != 0;
}

// GDAL calls Identify and then Open for the same file: the second call need not search again.
struct LastProbe
{
    const GDALOpenInfo *info = nullptr;
    std::string filename{};
    bool ours = false;
};
thread_local LastProbe lastProbe;

int Identify(GDALOpenInfo *info)
{
    if (Name::HasPrefix(info->pszFilename))
        return TRUE;
    const bool ours = Probe(info);
    lastProbe = LastProbe{info, info->pszFilename, ours};
    return ours ? TRUE : FALSE;
}

bool IsOurs(GDALOpenInfo *info)
{
    if (Name::HasPrefix(info->pszFilename))
        return true;
    const bool known = lastProbe.info == info && lastProbe.filename == info->pszFilename;
    const bool ours = known ? lastProbe.ours : Probe(info);
    lastProbe = LastProbe{};
    return ours;
}

GDALDataset *Open(GDALOpenInfo *info)
{
    // An error here would keep GDAL from trying other drivers, so other files are left alone without a message.
    if (!IsOurs(info))
        return nullptr;
    if (info->eAccess == GA_Update)
    {
        CPLError(CE_Failure, CPLE_NotSupported, "CFA: aggregation files cannot be opened for update");
        return nullptr;
    }
    Name name = Name::Parse(info->pszFilename);
    // Programs such as QGIS make a path relative that has an option, but not the name of a subdataset.
    if (name.variable.empty())
        name.variable = CSLFetchNameValueDef(info->papszOpenOptions, VARIABLE_OPTION, "");
    const std::shared_ptr<File> file = File::Open(name.path, info->papszOpenOptions);
    if (!file)
        return nullptr;
    if ((info->nOpenFlags & GDAL_OF_MULTIDIM_RASTER) != 0)
        return MultidimDataset::Create(file, info->pszFilename).release();
    return OpenClassic(file, name, info->pszFilename).release();
}

} // namespace

} // namespace cfa_gdal

// Registers with the engine the parts of GDAL that it uses (src/lib.rs).
extern "C" void cfa_gdal_register();

extern "C" CPL_DLL void GDALRegister_CFA();

void GDALRegister_CFA()
{
    if (!GDAL_CHECK_VERSION("CFA driver") || GDALGetDriverByName("CFA") != nullptr)
        return;
    cfa_gdal_register();
    auto driver = std::make_unique<GDALDriver>();
    driver->SetDescription("CFA");
    driver->SetMetadataItem(GDAL_DCAP_RASTER, "YES");
    driver->SetMetadataItem(GDAL_DCAP_MULTIDIM_RASTER, "YES");
    driver->SetMetadataItem(GDAL_DCAP_OPEN, "YES");
    driver->SetMetadataItem(GDAL_DCAP_VIRTUALIO, "YES");
    driver->SetMetadataItem(GDAL_DMD_LONGNAME, "CF aggregation files (CF-1.13, CFA)");
    driver->SetMetadataItem(GDAL_DMD_EXTENSIONS, "nc nca");
    driver->SetMetadataItem(GDAL_DMD_CONNECTION_PREFIX, "CFA:");
    driver->SetMetadataItem(GDAL_DMD_SUBDATASETS, "YES");
    driver->SetMetadataItem(GDAL_DMD_OPENOPTIONLIST, cfa_gdal::OpenOptionList().c_str());
    driver->pfnIdentify = cfa_gdal::Identify;
    driver->pfnOpen = cfa_gdal::Open;
#if CFA_GDAL_SUBDATASET_INFO
    driver->pfnGetSubdatasetInfoFunc = cfa_gdal::GetSubdatasetInfo;
#endif
    GetGDALDriverManager()->RegisterDriver(driver.release());
}
