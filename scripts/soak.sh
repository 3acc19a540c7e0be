#!/usr/bin/env bash
# Runs the long forms of the stress tests: a minute of threads through the GDAL driver, and of the Python package beside
# the other users of netCDF and HDF5 in one process, ten times as many random cases, and the driver with the GDAL of
# other suites of Debian.
set -euo pipefail
cd "$(dirname "$0")/.."

CFA_TEST_SECONDS=${CFA_TEST_SECONDS:-60} scripts/test_gdal.sh
# The pictures of docs are taken again to check that the window of QGIS still shows the same, and not replaced.
scripts/qgis_screenshots.sh build/pictures
CFA_CASES=240 cargo test --locked --test all stress::
CFA_CASES=3000 cargo test --locked --test all end_to_end::

# GDAL for Python comes from the system, without the rest of its packages.
scripts/test_python.sh -k 'not conformance'
osgeo=$(mktemp -d)
trap 'rm -rf "$osgeo"' EXIT
ln -s /usr/lib/python3/dist-packages/osgeo "$osgeo/osgeo"
PYTHONPATH=$osgeo build/python/bin/python python/tests/soak_together.py "${CFA_TEST_SECONDS:-60}"

failed=()
for suite in "trixie qgis" sid; do
    status=0
    # shellcheck disable=SC2086 # the suite, and what else is tested there
    scripts/test_gdal_suite.sh $suite || status=$?
    ((status == 0 || status == 77)) || failed+=("$suite")
done
if ((${#failed[@]})); then
    echo "soak: FAILED in ${failed[*]}" >&2
    exit 1
fi
