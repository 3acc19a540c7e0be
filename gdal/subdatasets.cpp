#include "subdatasets.h"

#include "classic_dataset.h"
#include "metadata.h"
#include "name.h"
#include "roles.h"

namespace cfa_gdal
{

namespace
{

const char *TypeText(int32_t type)
{
    switch (type)
    {
    case CFA_TYPE_INT8:
        return "8-bit integer";
    case CFA_TYPE_UINT8:
        return "8-bit unsigned integer";
    case CFA_TYPE_INT16:
        return "16-bit integer";
    case CFA_TYPE_UINT16:
        return "16-bit unsigned integer";
    case CFA_TYPE_INT32:
        return "32-bit integer";
    case CFA_TYPE_UINT32:
        return "32-bit unsigned integer";
    case CFA_TYPE_INT64:
        return "64-bit integer";
    case CFA_TYPE_UINT64:
        return "64-bit unsigned integer";
    case CFA_TYPE_FLOAT32:
        return "32-bit floating-point";
    case CFA_TYPE_FLOAT64:
        return "64-bit floating-point";
    default:
        return "8-bit character";
    }
}

// Text in the style of the netCDF driver.
std::string Describe(const cfa_variable *variable)
{
    size_t rank = 0;
    if (cfa_variable_rank(variable, &rank) != CFA_OK)
        return std::string("[not well formed] ") + cfa_last_error();
    std::vector<uint64_t> shape(rank);
    std::string text;
    if (cfa_variable_shape(variable, rank, shape.data()) == CFA_OK)
    {
        for (const uint64_t n : shape)
            text += (text.empty() ? "" : "x") + std::to_string(n);
    }
    const std::string standard = TextAttribute(variable, "standard_name");
    const std::string name = NameIn(cfa_variable_group(variable), cfa_variable_name(variable));
    return "[" + text + "] " + (standard.empty() ? name : standard) + " (" + TypeText(cfa_variable_type(variable)) + ")";
}

class SubdatasetList final : public GDALPamDataset
{
  public:
    SubdatasetList(const std::shared_ptr<File> &file, const std::vector<const cfa_variable *> &variables)
    {
        nRasterXSize = 0;
        nRasterYSize = 0;
        CPLStringList list;
        int number = 0;
        for (const cfa_variable *variable : variables)
        {
            ++number;
            list.SetNameValue(CPLSPrintf("SUBDATASET_%d_NAME", number),
                              Name::Of(file->Path(), cfa_variable_path(variable)).c_str());
            list.SetNameValue(CPLSPrintf("SUBDATASET_%d_DESC", number), Describe(variable).c_str());
        }
        GDALDataset::SetMetadata(list.List(), "SUBDATASETS");
        CPLStringList global;
        AddGlobalMetadata(file->Dataset(), global);
        GDALDataset::SetMetadata(global.List());
    }
};

// The first aggregation that is not well formed, if no other is well formed.
const cfa_variable *OnlyDamage(const std::vector<const cfa_variable *> &variables)
{
    const cfa_variable *damaged = nullptr;
    for (const cfa_variable *variable : variables)
    {
        if (!cfa_variable_is_aggregated(variable))
            continue;
        if (cfa_variable_check(variable) == CFA_OK)
            return nullptr;
        if (damaged == nullptr)
            damaged = variable;
    }
    return damaged;
}

} // namespace

std::unique_ptr<GDALDataset> OpenClassic(const std::shared_ptr<File> &file, const Name &name, const char *description)
{
    if (!name.variable.empty())
    {
        const cfa_variable *variable = nullptr;
        if (cfa_dataset_variable_find(file->Dataset(), name.variable.c_str(), &variable) != CFA_OK)
        {
            ReportEngineError();
            return nullptr;
        }
        return ClassicDataset::Create(file, variable, description, true);
    }
    const std::vector<const cfa_variable *> variables = DataVariables(*file);
    if (variables.empty())
    {
        CPLError(CE_Failure, CPLE_AppDefined, "%s has no variable that can be shown as a raster",
                 Shown(file->Path()).c_str());
        return nullptr;
    }
    // A list of the remaining variables would hide that the data of the file cannot be read.
    if (const cfa_variable *damaged = OnlyDamage(variables))
    {
        cfa_variable_check(damaged);
        ReportEngineError();
        return nullptr;
    }
    if (variables.size() == 1)
        return ClassicDataset::Create(file, variables[0], description, Name::HasPrefix(description));
    auto list = std::make_unique<SubdatasetList>(file, variables);
    list->SetDescription(description);
    return list;
}

} // namespace cfa_gdal
