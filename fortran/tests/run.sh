#!/usr/bin/env bash
# Compiles and runs the Fortran tests and examples against a build, in a fresh directory, the tests also under valgrind;
# and compares the numbers and names that the module has from cfa.h with the header.
#
#   fortran/tests/run.sh [OUT]    OUT is build/ unless given: where lib/libcfa.so and lib/libcfa_fortran.a are
set -euo pipefail
cd "$(dirname "$0")/../.."
top=$PWD
out=$(realpath "${1:-build}")
compiler=${FC:-gfortran}
[[ $compiler != f77 ]] || compiler=gfortran

if [[ ! -e $out/lib/libcfa_fortran.a ]]; then
    scripts/left_out.sh fortran "$out has no Fortran module"
    # What ctest takes for skipped.
    exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "fortran: constants and functions are those of cfa.h"
sed -nE 's/^#define (CFA_[A-Z0-9_]+) \(?(-?[0-9]+)\)?$/\L\1 = \2/p' include/cfa.h |
    grep -E '^cfa_(type_.*|dialect_.*|format_.*|prune_.*|compression_.*|ok|err_.*) ' | sort >"$work/header"
sed -n 's/^  integer, parameter :: //p' fortran/cfa_constants.f90 | sort | diff "$work/header" -
sed -nE 's/^ .*(function|subroutine) (cfa_[a-z_]+)\(.*/\2/p' fortran/cfa_c.f90 | sort -u >"$work/called"
[[ -s $work/called ]]
unknown=$(grep --invert-match --line-regexp --file=<(grep -oE '\bcfa_[a-z_]+\(' include/cfa.h | tr -d '(') "$work/called" || true)
[[ -z $unknown ]] || { echo "not in cfa.h: $unknown" >&2 && exit 1; }

cd "$work"
for name in whole part_1 part_2; do
    ncgen -4 -o "$name.nc" "$top/fortran/tests/$name.cdl"
    cp "$top/fortran/tests/$name.cdl" .
done

# Real numbers are compared where the test knows them exactly.
flags=(-std=f2018 -g -Wall -Wextra -Werror '-fcheck=bounds,do,mem,pointer,recursion' -Wno-compare-reals
    -Wno-uninitialized -Wno-maybe-uninitialized -Wno-function-elimination)
build() { # build PROGRAM SOURCE...
    "$compiler" "${flags[@]}" -I"$out/lib/cfa/fortran" "${@:2}" -o "$1" \
        -L"$out/lib" -lcfa_fortran -lcfa -Wl,-rpath,"$out/lib"
}

# The same data under other names.
cp part_1.nc twin.nc
cp part_1.nc data.nc
cp part_1.nc plain.nc
failed=()
for test in test_reading test_describing test_writing; do
    build "$test" "$top/fortran/tests/"{checks,watches}.f90 "$top/fortran/tests/$test.f90"
    "./$test" || failed+=("$test")
    if command -v valgrind >/dev/null; then
        echo "$test: under valgrind"
        valgrind --quiet --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite \
            --error-exitcode=9 "./$test" >/dev/null || failed+=("$test under valgrind")
    else
        "$top/scripts/left_out.sh" valgrind "it is not there"
    fi
done

build test_stopping "$top/fortran/tests/test_stopping.f90"
if ./test_stopping >stopped 2>&1 || ! grep --quiet '^cfa: .*absent.nc' stopped || grep --quiet running stopped; then
    echo "test_stopping: a failure without stat did not stop the program with its message" >&2
    failed+=(test_stopping)
fi

build describe "$top/fortran/examples/describe.f90"
./describe whole.nc | tee described || failed+=(describe)
for line in 'tas(lon=2, lat=3, time=4) K from 2 fragments' 'time 4: mean 308.400'; do
    grep --quiet --fixed-strings "$line" described || failed+=("describe does not print: $line")
done

echo "fortran: the programs of docs/fortran.md"
# block LANGUAGE NUMBER: the text of that block, counted from 1
block() {
    awk -v mark="\`\`\`$1" -v wanted="$2" '
        $0 == mark { inside = ++number == wanted; next } /^```/ { inside = 0 } inside' "$top/docs/fortran.md"
}
programs=0
while block fortran $((programs + 1)) >program.f90 && [[ -s program.f90 ]]; do
    programs=$((programs + 1))
    build "program_$programs" program.f90
    "./program_$programs" 2>progress | diff <(block text $programs) - || failed+=("program $programs of docs/fortran.md")
    ! grep --quiet within_a_minute program.f90 || grep --quiet '^100 % read' progress ||
        failed+=("progress in docs/fortran.md")
done
((programs == 3)) || failed+=("docs/fortran.md has $programs programs")

if ((${#failed[@]})); then
    printf 'fortran: FAILED %s\n' "${failed[@]}" >&2
    exit 1
fi
