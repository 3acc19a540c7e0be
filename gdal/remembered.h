// What the netCDF driver answered about the last files in memory, for all open files of this process.
//
// A question has everything on which its answer depends, so an answer cannot be out of date: a file that was replaced is
// another question, be it a fragment with coordinates, or a file without a time of change.
#ifndef CFA_GDAL_REMEMBERED_H
#define CFA_GDAL_REMEMBERED_H

#include "plain_raster.h"

namespace cfa_gdal
{

class Question
{
  public:
    // About a file, under the settings that GDAL has now.
    explicit Question(std::vector<GByte> file);

    const std::vector<GByte> &File() const
    {
        return m_file;
    }

    size_t Size() const
    {
        return m_file.size() + m_settings.size();
    }

    bool operator==(const Question &other) const
    {
        return m_file == other.m_file && m_settings == other.m_settings;
    }

  private:
    std::vector<GByte> m_file;
    std::string m_settings{};
};

// Returns false if no answer is remembered.
bool Recall(const Question &question, PlainRaster &answer);

// Forgets the answers that were not used for the longest time, if there are too many.
void Remember(Question question, const PlainRaster &answer);

} // namespace cfa_gdal

#endif
