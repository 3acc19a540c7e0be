#!/usr/bin/env bash
# Writes the files that the C tests read into a directory: the small ones from CDL (their sources beside them), the
# large ones of make_large.py.
#
#   c_tests/make_fixtures.sh DIRECTORY
set -euo pipefail
directory=$(realpath "$1")
cd "$(dirname "$0")"

for source in fixtures/*.cdl; do
    ncgen -4 -o "$directory/$(basename "$source" .cdl).nc" "$source"
    cp "$source" "$directory"
done
/usr/bin/python3 make_large.py "$directory"
