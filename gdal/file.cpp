#include "file.h"

#include "georeferencing.h"
#include "name.h"
#include "options.h"
#include "roles.h"

namespace cfa_gdal
{

void ReportEngineError()
{
    CPLError(CE_Failure, CPLE_AppDefined, "%s", cfa_last_error());
}

File::File(std::string path, CSLConstList options, cfa_dataset *dataset)
    : m_path(std::move(path)), m_options(CSLDuplicate(options)), m_dataset(dataset),
      m_pam(std::make_shared<GDALPamMultiDim>(m_path))
{
}

File::~File()
{
    cfa_dataset_free(m_raw);
    cfa_dataset_free(m_dataset);
}

std::shared_ptr<File> File::Open(const std::string &path, CSLConstList options)
{
    cfa_dataset *dataset = nullptr;
    if (!OpenDataset(path, options, false, &dataset))
        return nullptr;
    return std::shared_ptr<File>(new File(path, options, dataset));
}

const cfa_dataset *File::RawDataset()
{
    std::lock_guard<std::mutex> lock(m_rawMutex);
    if (m_raw == nullptr)
        OpenDataset(m_path, m_options.List(), true, &m_raw);
    return m_raw;
}

void File::TellWarnings() const
{
    std::vector<std::string> warnings;
    {
        std::lock_guard<std::mutex> lock(m_toldMutex);
        size_t count = 0;
        if (cfa_dataset_warning_count(m_dataset, &count) != CFA_OK)
            return;
        for (; m_told < count; ++m_told)
        {
            size_t needed = 0;
            if (cfa_dataset_warning_copy(m_dataset, m_told, nullptr, 0, &needed) != CFA_OK)
                continue;
            std::vector<char> text(needed);
            if (cfa_dataset_warning_copy(m_dataset, m_told, text.data(), text.size(), nullptr) == CFA_OK)
                warnings.push_back(text.data());
        }
    }
    // A handler of errors may call this again.
    for (const std::string &warning : warnings)
        CPLError(CE_Warning, CPLE_AppDefined, "CFA: %s: %s", Shown(m_path).c_str(), warning.c_str());
}

const cfa_variable *File::Find(const std::string &path) const
{
    const cfa_variable *variable = nullptr;
    if (cfa_dataset_variable_find(m_dataset, path.c_str(), &variable) != CFA_OK)
        return nullptr;
    return variable;
}

static std::string PathIn(const cfa_group *group, const std::string &name)
{
    const std::string path = cfa_group_path(group);
    return path == "/" ? "/" + name : path + "/" + name;
}

const cfa_variable *File::Resolve(const cfa_group *group, const std::string &name) const
{
    if (!name.empty() && name[0] == '/')
        return Find(name);
    for (; group != nullptr; group = cfa_group_parent(group))
    {
        if (const cfa_variable *variable = Find(PathIn(group, name)))
            return variable;
    }
    return nullptr;
}

bool IsAlong(const cfa_variable *variable, const cfa_dimension *dimension)
{
    size_t rank = 0;
    const cfa_dimension *own = nullptr;
    if (cfa_variable_rank(variable, &rank) != CFA_OK || rank == 0 || cfa_variable_dimension(variable, 0, &own) != CFA_OK ||
        own != dimension)
        return false;
    // A second dimension is the length of text.
    return rank == 1 || (rank == 2 && cfa_variable_type(variable) == CFA_TYPE_CHAR);
}

const cfa_variable *File::CoordinateOf(const cfa_dimension *dimension, const cfa_group *from) const
{
    const cfa_group *own = cfa_dimension_group(dimension);
    for (const cfa_group *group = from == nullptr ? own : from; group != nullptr; group = cfa_group_parent(group))
    {
        const cfa_variable *variable = Find(PathIn(group, cfa_dimension_name(dimension)));
        if (variable != nullptr && IsAlong(variable, dimension))
            return variable;
        if (group == own)
            break;
    }
    return nullptr;
}

const cfa_variable *File::IndexingVariableOf(const cfa_dimension *dimension, const cfa_group *from) const
{
    const cfa_variable *coordinate = CoordinateOf(dimension, from);
    return coordinate == nullptr ? VariableRoles().IndexingFor(dimension) : coordinate;
}

std::shared_ptr<const Georeferencing> File::GeoreferencingOf(const cfa_variable *variable) const
{
    {
        std::lock_guard<std::mutex> lock(m_georeferencingMutex);
        const auto known = m_georeferencing.find(variable);
        if (known != m_georeferencing.end())
            return known->second;
    }
    // Not under the lock: it reads coordinates and asks another driver.
    const auto found = Georeferencing::Of(*this, variable);
    std::lock_guard<std::mutex> lock(m_georeferencingMutex);
    return m_georeferencing.emplace(variable, found).first->second;
}

bool File::ReadsInThreads() const
{
    return AllowThreads(m_options.List());
}

const Roles &File::VariableRoles() const
{
    std::call_once(m_rolesOnce, [this] { m_roles = std::make_unique<const Roles>(*this); });
    return *m_roles;
}

std::string TextAttribute(const cfa_variable *variable, const char *name)
{
    const cfa_attribute *attribute = nullptr;
    if (cfa_variable_attribute_find(variable, name, &attribute) != CFA_OK)
        return std::string();
    const char *text = cfa_attribute_text(attribute);
    return text == nullptr ? std::string() : std::string(text);
}

bool DimensionsOf(const cfa_variable *variable, std::vector<const cfa_dimension *> &dimensions)
{
    size_t rank = 0;
    if (cfa_variable_rank(variable, &rank) != CFA_OK)
    {
        ReportEngineError();
        return false;
    }
    dimensions.resize(rank);
    for (size_t i = 0; i < rank; ++i)
    {
        if (cfa_variable_dimension(variable, i, &dimensions[i]) != CFA_OK)
        {
            ReportEngineError();
            return false;
        }
    }
    return true;
}

const char *DialectName(int32_t dialect)
{
    switch (dialect)
    {
    case CFA_DIALECT_CFA_0_4:
        return "CFA-0.4";
    case CFA_DIALECT_CFA_TERMS:
        return "CFA terms";
    case CFA_DIALECT_CFA_0_6B1_EARLY:
        return "CFA-0.6b1 early";
    case CFA_DIALECT_CFA_0_6B1:
        return "CFA-0.6b1";
    case CFA_DIALECT_CFA_0_6_2:
        return "CFA-0.6.2";
    case CFA_DIALECT_CF_DRAFT:
        return "CF draft";
    case CFA_DIALECT_CF_1_13:
        return "CF-1.13";
    default:
        return "";
    }
}

} // namespace cfa_gdal
