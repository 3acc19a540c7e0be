#!/usr/bin/env bash
# Runs every check that reads the sources without running them; then fails if one of them did, and says which.
set -euo pipefail
cd "$(dirname "$0")/.."

failed=()
check() {
    echo "lint: $1"
    "${@:2}" || failed+=("$1")
}

check rustfmt cargo fmt --all --check
mapfile -t gdal < <(scripts/gdal_crate.sh)
check clippy cargo clippy --locked --package cfa --package libcfa-python "${gdal[@]}" --all-targets --quiet -- -D warnings
if ((${#gdal[@]})); then
    check clang-format clang-format --dry-run --Werror gdal/*.cpp gdal/*.h
fi
# The library alone: the program has the same name and would overwrite its pages.
check rustdoc env RUSTDOCFLAGS="-D warnings" cargo doc --locked --lib --no-deps --quiet
check shellcheck shellcheck .ci/run scripts/*.sh demo/*.sh tests/*.sh c_tests/*.sh fortran/tests/*.sh
check lengths scripts/check_lengths.sh
check licences scripts/check_licences.sh

if ((${#failed[@]})); then
    printf 'lint: FAILED %s\n' "${failed[@]}" >&2
    exit 1
fi
