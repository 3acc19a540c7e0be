#!/usr/bin/env bash
# Prints the folder in which the installed GDAL looks for plugins by default; nothing where there is no GDAL.
set -euo pipefail
command -v gdal-config >/dev/null || exit 0
library=$(gdal-config --libs | sed -n 's/.*-L\([^ ]*\).*/\1/p')
# Distributions give no -L: the library is then in the folder of the architecture or in lib.
for folder in "$library" "/usr/lib/$(cc -print-multiarch 2>/dev/null || true)" "$(gdal-config --prefix)/lib"; do
    if [[ -n $folder ]] && compgen -G "$folder/libgdal.*" >/dev/null; then
        echo "$folder/gdalplugins"
        exit 0
    fi
done
