#!/usr/bin/env bash
# Builds with CMake as README.md says, runs ctest, and installs: the same files as `make install`.
# The tests that are stages of test.sh themselves are left out.
set -euo pipefail
cd "$(dirname "$0")/.."

cmake -B build/cmake >/dev/null
cmake --build build/cmake
failed=0
ctest --test-dir build/cmake --output-on-failure --exclude-regex '^(fortran|install)$' || failed=1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
DESTDIR=$work/cmake cmake --install build/cmake --prefix /usr/local >/dev/null
# The GDAL driver is for make alone: CMake users have no part in it.
make --no-print-directory install DESTDIR="$work/make" PREFIX=/usr/local GDALPLUGINS=/gdalplugins >/dev/null
rm -rf "$work/make/gdalplugins" "$work/make/usr/local/lib/cfa/gdalplugins"
if diff <(cd "$work/cmake" && find . | sort) <(cd "$work/make" && find . | sort); then
    echo "cmake --install and make install give the same $(find "$work/make" -not -type d | wc -l) files"
else
    failed=1
fi
exit "$failed"
