#!/usr/bin/env bash
# The long forms of the stress tests: a minute of threads through the GDAL driver, and ten times as many random cases.
set -euo pipefail
cd "$(dirname "$0")/.."

CFA_TEST_SECONDS=${CFA_TEST_SECONDS:-60} scripts/test_gdal.sh
CFA_CASES=240 cargo test --locked --test all stress::
CFA_CASES=3000 cargo test --locked --test all end_to_end::
