#!/usr/bin/env bash
# Makes the pictures of docs/qgis.md anew: docs/qgis.png, docs/qgis-raster.png, docs/qgis-mesh.png, of the window of
# QGIS with the sample of `make demo`, on a display of its own (Xvfb). Another folder may be given. It fails if the
# window does not show what docs/qgis.md says of it, so scripts/test_gdal.sh runs it as a test.
set -euo pipefail
cd "$(dirname "$0")/.."

mkdir -p "${1:-docs}"
pictures=$(realpath "${1:-docs}")
[[ -e build/demo/tas.nc ]] || { echo "qgis_screenshots: there is no build/demo/tas.nc (make demo)" >&2 && exit 1; }
build/bin/cfa qgis build/demo/tas.nc >/dev/null
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

GDAL_DRIVER_PATH=$PWD/build/gdalplugins:$(scripts/gdal_plugins_dir.sh)
export GDAL_DRIVER_PATH CFA_SAMPLE=$PWD/build/demo/tas.nc CFA_PICTURES=$pictures
# A map that was opened before keeps statistics beside the sample.
rm -f build/demo/tas.nc.aux.xml
timeout 600 scripts/with_display.sh qgis --nologo --noversioncheck --noplugins --hide-browser --defaultui --lang en \
    --profiles-path "$work/profiles" --code scripts/qgis_screenshots.py
rm -f build/demo/tas.nc.aux.xml
for picture in qgis qgis-raster qgis-mesh; do
    size=$(stat -c %s "$pictures/$picture.png")
    echo "$pictures/$picture.png: $((size / 1000)) kB"
    ((size < 150000)) || { echo "qgis_screenshots: $picture.png is too large" >&2 && exit 1; }
done
