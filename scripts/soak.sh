#!/usr/bin/env bash
# The long forms of the stress tests: a minute of threads through the GDAL driver, and of the Python package beside the other
# users of netCDF and HDF5 in one process, and ten times as many random cases.
set -euo pipefail
cd "$(dirname "$0")/.."

CFA_TEST_SECONDS=${CFA_TEST_SECONDS:-60} scripts/test_gdal.sh
CFA_CASES=240 cargo test --locked --test all stress::
CFA_CASES=3000 cargo test --locked --test all end_to_end::

# GDAL for Python comes from the system, without the rest of its packages.
scripts/test_python.sh -k 'not conformance'
osgeo=$(mktemp -d)
trap 'rm -rf "$osgeo"' EXIT
ln -s /usr/lib/python3/dist-packages/osgeo "$osgeo/osgeo"
PYTHONPATH=$osgeo build/python/bin/python python/tests/soak_together.py "${CFA_TEST_SECONDS:-60}"
