#!/usr/bin/env bash
# Runs the tests of the GDAL driver with the system's GDAL, Python and QGIS; says so where there is no plugin.
# CFA_TEST_SECONDS lengthens the stress of threads (10).
set -euo pipefail
cd "$(dirname "$0")/.."

plugins=$PWD/build/gdalplugins
if [[ ! -e $plugins/gdal_CFA.so ]]; then
    exec scripts/left_out.sh gdal "there is no build/gdalplugins/gdal_CFA.so (make plugin)"
fi
# The variable replaces GDAL's own folder, so both are given.
GDAL_DRIVER_PATH=$plugins:$(scripts/gdal_plugins_dir.sh)
export GDAL_DRIVER_PATH

/usr/bin/python3 demo/make_sample.py build/demo
export CFA_TEST_SAMPLE=$PWD/build/demo/tas.nc PYTHONDONTWRITEBYTECODE=1

failed=()
suite=${CONFORMANCE:-../shared/conformance}
if [[ -e $suite/check.py ]]; then
    /usr/bin/python3 tests/gdal/conformance.py "$suite" || failed+=(conformance)
else
    scripts/left_out.sh conformance "$suite is not there"
fi

for test in tests/gdal/test_*.py; do
    display=()
    if [[ $test == */test_qgis*.py ]]; then
        if ! /usr/bin/python3 -c 'import qgis.core' 2>/dev/null || ! command -v Xvfb >/dev/null; then
            scripts/left_out.sh qgis "there is no QGIS for Python, or no Xvfb"
            continue
        fi
        display=(scripts/with_display.sh)
    fi
    echo "gdal: $test"
    "${display[@]}" /usr/bin/python3 "$test" || failed+=("$test")
done

# Only errors count that pass through the plugin: those of other libraries are not ours to mend.
if command -v valgrind >/dev/null; then
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    for words in "gdalinfo" "gdal_translate -q -b 2 -of GTiff"; do
        target=()
        [[ $words == gdalinfo ]] || target=("$folder/out.tif")
        read -ra command <<<"$words"
        valgrind --quiet --log-file="$folder/log" "${command[@]}" "$CFA_TEST_SAMPLE" "${target[@]}" >/dev/null 2>&1
        if grep --quiet gdal_CFA "$folder/log"; then
            cat "$folder/log" >&2
            echo "gdal: valgrind found errors in: ${command[0]}" >&2
            failed+=("valgrind ${command[0]}")
        else
            echo "gdal: valgrind ${command[0]} ok"
        fi
    done
else
    scripts/left_out.sh valgrind "it is not there"
fi

if ((${#failed[@]})); then
    printf 'gdal: FAILED %s\n' "${failed[@]}" >&2
    exit 1
fi
