#!/usr/bin/env bash
# Runs the examples of the README: each fenced block marked `sh tested`, in order, from the top of the repository, on
# the sample that demo/make_sample.py writes; and the blocks marked `c tested` and `fortran tested`, compiled with the
# commands that the README gives. The Rust examples are documentation tests.
set -euo pipefail
cd "$(dirname "$0")/.."

/usr/bin/python3 demo/make_sample.py build/demo
# block LANGUAGE: the text of its blocks
block() { awk -v mark="\`\`\`$1 tested" '$0 == mark { inside = 1; next } /^```/ { inside = 0 } inside' README.md; }

examples=$(block sh)
if [[ -z $examples ]]; then
    echo "README.md has no block marked 'sh tested'" >&2
    exit 1
fi
bash -euxo pipefail -c "$examples"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
block c >"$work/day.c"
block fortran >"$work/day.f90"
export PKG_CONFIG_PATH=$PWD/build/lib/pkgconfig LD_LIBRARY_PATH=$PWD/build/lib
read -ra flags <<<"$(pkg-config --cflags --libs cfa)"
cc -std=c99 -Wall -Wextra -Werror "$work/day.c" -o "$work/day_c" "${flags[@]}"
gfortran -std=f2018 -Wall -Wextra -Werror "$work/day.f90" -o "$work/day_fortran" \
    -Ibuild/lib/cfa/fortran -Lbuild/lib -lcfa_fortran -lcfa
# One element, by three ways.
from_c=$("$work/day_c")
from_fortran=$("$work/day_fortran")
from_program=$(build/bin/cfa read build/demo/tas.nc tas --start=200,18,0 --count=1,1,1 --json |
    sed -E 's/.*\[([0-9.]+)\].*/\1/' | xargs printf '%.2f K')
echo "C: $from_c; Fortran: $from_fortran; program: $from_program"
[[ $from_c == "$from_program" && $from_fortran == "$from_program" ]]
