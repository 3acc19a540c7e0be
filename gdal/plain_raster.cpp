#include "plain_raster.h"

#include <atomic>
#include <cstring>
#include <memory>

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "remembered.h"

namespace cfa_gdal
{

const char *const PlainRaster::VARIABLE = "cfa_data_variable";

namespace
{

// libnetcdf reads the header of a file in pieces of this size. It refuses a file in memory if a piece that starts in the
// header would reach beyond the end.
constexpr size_t HEADER_PIECE = 4096;

// A file in memory that is deleted with this object.
class MemoryFile
{
  public:
    explicit MemoryFile(const std::vector<GByte> &bytes)
    {
        if (OpenForSystem(bytes))
            return;
        static std::atomic<unsigned> counter{0};
        m_name = CPLSPrintf("/vsimem/cfa_georeferencing_%p_%u.nc", static_cast<void *>(this), ++counter);
        // Nobody writes to it.
        GByte *const data = const_cast<GByte *>(bytes.data());
        VSIFCloseL(VSIFileFromMemBuffer(m_name.c_str(), data, bytes.size(), FALSE));
    }

    ~MemoryFile()
    {
#ifdef __linux__
        if (m_descriptor >= 0)
        {
            close(m_descriptor);
            return;
        }
#endif
        VSIUnlink(m_name.c_str());
    }

    MemoryFile(const MemoryFile &) = delete;
    MemoryFile &operator=(const MemoryFile &) = delete;

    const std::string &Name() const
    {
        return m_name;
    }

  private:
    // Makes a file that the system can open by name, too, where it has such files in memory. Of one in /vsimem/ libnetcdf
    // 4.9.3 asks HDF5 whether it is one of its files; HDF5 finds no such file, and in every thread but the first prints
    // that.
    bool OpenForSystem(const std::vector<GByte> &bytes)
    {
#ifdef __linux__
        m_descriptor = memfd_create("cfa_georeferencing", MFD_CLOEXEC);
        if (m_descriptor < 0)
            return false;
        size_t done = 0;
        while (done < bytes.size())
        {
            const ssize_t written = write(m_descriptor, bytes.data() + done, bytes.size() - done);
            if (written <= 0)
                break;
            done += static_cast<size_t>(written);
        }
        m_name = "/proc/self/fd/" + std::to_string(m_descriptor);
        // Where /proc is not mounted, the file has no name.
        if (done == bytes.size() && access(m_name.c_str(), R_OK) == 0)
            return true;
        close(m_descriptor);
        m_descriptor = -1;
#else
        (void)bytes;
#endif
        return false;
    }

    std::string m_name{};
#ifdef __linux__
    int m_descriptor = -1;
#endif
};

// Suppresses messages, since they concern a file that the user does not know, and notes that there was a failure.
void NoteFailure(CPLErr kind, CPLErrorNum number, const char *text)
{
    if (kind == CE_Failure)
        *static_cast<bool *>(CPLGetErrorHandlerUserData()) = true;
    CPLQuietErrorHandler(kind, number, text);
}

// Whether a row of the raster is the first one of the data. Reading another one reaches beyond the end of the file, or
// returns zeros.
bool IsFirstOfData(GDALDataset &plain, int row)
{
    GByte mark = 0;
    GDALRasterBand *band = plain.GetRasterBand(1);
    return band != nullptr && band->RasterIO(GF_Read, 0, row, 1, 1, &mark, 1, 1, GDT_Byte, 0, 0, nullptr) == CE_None &&
           mark == 1;
}

// Returns false if the driver cannot open the file. The answer lasts if it follows from the file and the settings alone:
// not after a failure, such as that of a missing database of reference systems.
bool Ask(const std::vector<GByte> &file, PlainRaster &answer, bool &lasts)
{
    CPLDebug("CFA", "the netCDF driver is asked for the georeferencing");
    const MemoryFile memory(file);
    const std::string prefix = "NETCDF:\"" + memory.Name() + "\":";
    const char *const drivers[] = {"netCDF", nullptr};
    bool failed = false;
    CPLErrorHandlerPusher quiet(NoteFailure, &failed);
    CPLErrorStateBackuper state;
    const std::unique_ptr<GDALDataset> plain(GDALDataset::Open(
        (prefix + PlainRaster::VARIABLE).c_str(), GDAL_OF_RASTER | GDAL_OF_INTERNAL, drivers, nullptr, nullptr));
    if (!plain)
    {
        CPLDebug("CFA", "the netCDF driver reports no georeferencing: %s", CPLGetLastErrorMsg());
        return false;
    }
    if (const OGRSpatialReference *reference = plain->GetSpatialRef())
        answer.reference = *reference;
    answer.hasTransform = GDALGetGeoTransform(GDALDataset::ToHandle(plain.get()), answer.transform) == CE_None;
    answer.geolocation = CPLStringList(CSLDuplicate(plain->GetMetadata("GEOLOCATION")));
    answer.geolocation2 = CPLStringList(CSLDuplicate(plain->GetMetadata("GEOLOCATION2")));
    for (const char *key : {"X_DATASET", "Y_DATASET"})
    {
        const char *name = answer.geolocation.FetchNameValue(key);
        if (name != nullptr && STARTS_WITH(name, prefix.c_str()))
            answer.geolocation.SetNameValue(key, std::string(name + prefix.size()).c_str());
    }
    for (CSLConstList item = plain->GetMetadata(); item != nullptr && *item != nullptr; ++item)
    {
        if (strstr(*item, "#units") != nullptr)
            answer.units.AddString(*item);
    }
    lasts = !failed;
    const int last = plain->GetRasterYSize() - 1;
    answer.isBottomUp = last > 0 && IsFirstOfData(*plain, last);
    // Only the failure to read the other row is as it should be.
    lasts = lasts && (answer.isBottomUp || IsFirstOfData(*plain, 0));
    return true;
}

} // namespace

bool PlainRaster::Find(std::vector<GByte> file)
{
    file.resize(file.size() + HEADER_PIECE, 0);
    Question question(std::move(file));
    if (Recall(question, *this))
        return true;
    bool lasts = false;
    if (!Ask(question.File(), *this, lasts))
        return false;
    if (lasts)
        Remember(std::move(question), *this);
    return true;
}

} // namespace cfa_gdal
