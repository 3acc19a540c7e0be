#!/usr/bin/env bash
# Shows the program on a year of monthly files that differ in packing, units, time epoch and format.
set -euo pipefail
cd "$(dirname "$0")/.."

show() {
    printf '\n$ %s\n' "$*"
    "$@"
}

/usr/bin/python3 demo/make_sample.py build/demo
show build/bin/cfa info build/demo/tas.nc
show build/bin/cfa info build/demo/tas.nc tas --fragments
show build/bin/cfa read build/demo/tas.nc tas \
    --select time=2024-06-29..2024-07-02 --select lat=45..60 --select lon=0..20
