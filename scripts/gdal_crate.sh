#!/usr/bin/env bash
# Prints the arguments by which cargo builds the crate that calls GDAL, one per line; nothing where GDAL is not
# installed.
set -euo pipefail

config=${GDAL_CONFIG:-gdal-config}
command -v "$config" >/dev/null || exit 0
printf '%s\n' --package cfa-gdal
# The crate gdal-sys brings bindings up to GDAL 3.12; for later versions it makes them, with libclang.
IFS=. read -r major minor _ < <("$config" --version)
((major == 3 && minor <= 12)) || printf '%s\n' --features cfa-gdal/bindgen
