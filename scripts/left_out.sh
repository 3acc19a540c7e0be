#!/usr/bin/env bash
# Reports a part of the tests that cannot run here.
#
#   scripts/left_out.sh NAME REASON
#
# Below `make test` the part is listed at the end, and leaving it out is a failure, since `make deps` has installed what
# the tests need. Exceptions: parts that a machine may lack for good reasons (listed here), and those that the user
# names, as in SKIP='cf-python remote' make test.
set -euo pipefail

# conformance: the cases are no part of the repository. instructions: figures hold for one kind of processor.
# rasterio: servers of other systems have the headers. thread-sanitizer: only rustup brings the sources of Rust's library.
# gdal-SUITE: only root can set up another Debian.
may_be_absent=" conformance instructions rasterio thread-sanitizer gdal-trixie gdal-sid ${SKIP:-} "

echo "$1: left out, $2"
[[ -z ${CFA_LEFT_OUT:-} ]] || echo "$1: $2" >>"$CFA_LEFT_OUT"
[[ -z ${CFA_LEFT_OUT:-} || $may_be_absent == *" $1 "* ]]
