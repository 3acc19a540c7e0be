#!/usr/bin/env bash
# Compiles the Fortran module into build/lib/libcfa_fortran.a and build/lib/cfa/fortran/*.mod; without a Fortran
# compiler it says so and does nothing. FC names the compiler, FFLAGS its options, CFA_OUT and CFA_PROFILE are as for
# cargo.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

# In the order in which they use each other.
modules=(cfa_constants cfa_c cfa_text cfa_parts cfa_watching cfa_attributes cfa_descriptions cfa_strings cfa_variables
    cfa_datasets cfa_writing cfa)

# Make sets FC to f77 by default.
compiler=${FC:-gfortran}
[[ $compiler != f77 ]] || compiler=gfortran
out=${CFA_OUT:-build}
[[ ${CFA_PROFILE:-release} == release || -n ${CFA_OUT-} ]] || out=build/$CFA_PROFILE
if ! command -v "$compiler" >/dev/null; then
    echo "fortran: $compiler not found, the module is not built"
    exit 0
fi

# Symbols for debuggers would name folders of the machine that this is built on.
read -ra flags <<<"${FFLAGS:--O2} -fPIC"
# The uninitialized warnings are false ones of gfortran, about descriptors of allocatable arrays.
"$compiler" --version | grep --quiet GNU &&
    flags+=(-std=f2018 -Wall -Wextra -Wno-uninitialized -Wno-maybe-uninitialized -Wno-function-elimination)
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT
mkdir -p "$out/lib/cfa/fortran"
for module in "${modules[@]}"; do
    "$compiler" "${flags[@]}" -I"$objects" -c "fortran/$module.f90" -o "$objects/$module.o" -J"$objects"
done
cp "$objects"/*.mod "$out/lib/cfa/fortran/"
rm -f "$out/lib/libcfa_fortran.a"
(cd "$objects" && ar rcs libcfa_fortran.a ./*.o)
install -m 644 "$objects/libcfa_fortran.a" "$out/lib/libcfa_fortran.a"
