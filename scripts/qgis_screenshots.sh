#!/usr/bin/env bash
# Makes the pictures of docs/qgis.md anew: docs/qgis.png, docs/qgis-raster.png, docs/qgis-mesh.png, of the window of QGIS with
# the sample of `make demo`, on a display of its own (Xvfb). Another folder may be given.
set -euo pipefail
cd "$(dirname "$0")/.."

pictures=$(realpath "${1:-docs}")
[[ -e build/demo/tas.nc.qlr ]] || { echo "qgis_screenshots: there is no build/demo/tas.nc.qlr (make demo)" >&2 && exit 1; }
work=$(mktemp -d)
display=
finish() {
    [[ -z $display ]] || kill "$display" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT

# The server picks a number that is free, and tells it.
Xvfb -displayfd 3 -screen 0 1280x800x24 3>"$work/number" 2>/dev/null &
display=$!
for _ in {1..100}; do
    [[ ! -s $work/number ]] || break
    sleep 0.1
done
DISPLAY=:$(<"$work/number")
GDAL_DRIVER_PATH=$PWD/build/gdalplugins:$(scripts/gdal_plugins_dir.sh)
export DISPLAY GDAL_DRIVER_PATH XDG_RUNTIME_DIR=$work QT_QPA_PLATFORM=xcb
export CFA_SAMPLE=$PWD/build/demo/tas.nc CFA_PICTURES=$pictures
# A map that was opened before keeps statistics beside the sample.
rm -f build/demo/tas.nc.aux.xml
timeout 300 qgis --nologo --noversioncheck --noplugins --hide-browser --defaultui --lang en --profiles-path "$work/profiles" \
    --code scripts/qgis_screenshots.py
rm -f build/demo/tas.nc.aux.xml
for picture in qgis qgis-raster qgis-mesh; do
    size=$(stat -c %s "$pictures/$picture.png")
    echo "$pictures/$picture.png: $((size / 1000)) kB"
    ((size < 150000)) || { echo "qgis_screenshots: $picture.png is too large" >&2 && exit 1; }
done
