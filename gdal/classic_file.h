// Writes small netCDF classic files (64-bit offsets, CDF-2) in memory.
#ifndef CFA_GDAL_CLASSIC_FILE_H
#define CFA_GDAL_CLASSIC_FILE_H

#include <string>
#include <vector>

#include "cfa.h"
#include "versions.h"

namespace cfa_gdal
{

class ClassicFile
{
  public:
    enum class Type
    {
        Byte = 1,
        Char = 2,
        Short = 3,
        Int = 4,
        Float = 5,
        Double = 6
    };

    // Returns the number of the dimension.
    int AddDimension(const std::string &name, uint64_t size);

    // Returns the number of the variable. Its data follow those of the variables before it.
    int AddVariable(const std::string &name, const std::vector<int> &dimensions, Type type);

    // Sets the first part of the data of a variable. The file may end before the others.
    void SetData(int variable, const std::vector<double> &values);

    // Variable -1 means an attribute of the file. Types that the format lacks are stored in larger ones.
    void AddAttribute(int variable, const cfa_attribute *attribute);

    void AddText(int variable, const std::string &name, const std::string &text);

    std::vector<GByte> Bytes() const;

  private:
    struct Dimension
    {
        std::string name;
        uint64_t size;
    };
    struct Variable
    {
        std::string name;
        std::vector<int> dimensions;
        Type type;
        int attributes = 0;
        std::vector<GByte> attributeBytes{};
        std::vector<GByte> data{};
    };

    // Counts one more attribute of the variable or of the file, and returns the bytes to which it is appended.
    std::vector<GByte> &NextAttribute(int variable);
    uint64_t DataSize(const Variable &variable) const;
    std::vector<GByte> Header(uint64_t dataStart) const;

    std::vector<Dimension> m_dimensions{};
    std::vector<Variable> m_variables{};
    int m_attributes = 0;
    std::vector<GByte> m_attributeBytes{};
};

} // namespace cfa_gdal

#endif
