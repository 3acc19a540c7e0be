// The header is valid C++, and the version that it was made for is that of the library.
#include <cfa.h>

int main()
{
    cfa_open_options open = CFA_OPEN_OPTIONS_INIT;
    cfa_read_options read = CFA_READ_OPTIONS_INIT;
    cfa_dataset *dataset = nullptr;
    bool good = cfa_version_number() == CFA_VERSION_MAJOR * 10000 + CFA_VERSION_MINOR * 100 + CFA_VERSION_PATCH &&
                open.size == sizeof open && read.size == sizeof read &&
                cfa_dataset_open(nullptr, &open, &dataset) == CFA_ERR_ARGUMENT && dataset == nullptr;
    return good ? 0 : 1;
}
