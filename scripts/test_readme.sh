#!/usr/bin/env bash
# Runs the shell examples of the README: each fenced block marked `sh tested`, in order, from the top of the
# repository, on the sample that demo/make_sample.py writes. The Rust examples are documentation tests.
set -euo pipefail
cd "$(dirname "$0")/.."

/usr/bin/python3 demo/make_sample.py build/demo
examples=$(awk '/^```sh tested$/ { inside = 1; next } /^```/ { inside = 0 } inside' README.md)
if [[ -z $examples ]]; then
    echo "README.md has no block marked 'sh tested'" >&2
    exit 1
fi
bash -euxo pipefail -c "$examples"
