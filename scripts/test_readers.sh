#!/usr/bin/env bash
# Has other readers look at files of the native writer: those of the system, and newer ones in a virtual environment
# under build/. tests/written/for_readers.rs writes the files.
set -euo pipefail
cd "$(dirname "$0")/.."

export PYTHONDONTWRITEBYTECODE=1 CFA=$PWD/build/bin/cfa
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Makes the environment, unless one with these requirements is there.
environment() {
    local folder=build/readers requirements=tests/written/requirements.txt
    cmp --silent "$requirements" "$folder/requirements.txt" && return
    rm -rf "$folder"
    /usr/bin/python3 -m venv "$folder" &&
        "$folder/bin/pip" install --quiet --disable-pip-version-check --retries 1 --requirement "$requirements" &&
        cp "$requirements" "$folder/"
}

CFA_READERS_FOLDER=$work cargo test --locked --quiet --test all -- \
    --exact written::for_readers::files_for_other_readers_are_written

failed=0
/usr/bin/python3 tests/written/readers.py "$work" cfa netCDF4 ncdump h5py gdal || failed=1
if environment; then
    build/readers/bin/python tests/written/readers.py "$work" netCDF4 h5py h5netcdf cfdm || failed=1
else
    scripts/left_out.sh readers "the packages cannot be fetched" || failed=1
fi
exit "$failed"
