#!/usr/bin/env bash
# Shows the program, and GDAL with the plugin, on a year of monthly files that differ in packing, units, epoch and
# format.
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

show build/bin/cfa qgis build/demo/tas.nc

if [[ ! -e build/gdalplugins/gdal_CFA.so ]] || ! command -v gdalinfo >/dev/null; then
    printf '\nGDAL is not there: the rest of the demonstration is left out.\n'
    exit 0
fi
# The variable replaces GDAL's own folder of plugins, so both are given. `make install` makes it unnecessary.
GDAL_DRIVER_PATH=$PWD/build/gdalplugins:$(scripts/gdal_plugins_dir.sh)
export GDAL_DRIVER_PATH
printf '\n$ gdalinfo -nomd build/demo/tas.nc | head -n 20\n'
# Read to the end: a closed pipe would look like a failure.
gdalinfo -nomd build/demo/tas.nc | sed -n 1,20p
show gdalmdiminfo -array tas build/demo/tas.nc
show gdal_translate -q -of PNG -ot Byte -a_nodata none -b 196 -scale 225 310 -outsize 1000% 1000% build/demo/tas.nc build/demo/july.png
printf '\n%s\n' 'build/demo/july.png: the 14th of July'
