#!/usr/bin/env bash
# Runs the shell examples of docs/creating.md: each fenced block marked `sh tested`, in order, in a fresh directory.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
/usr/bin/python3 scripts/make_examples.py "$folder"
examples=$(awk '/^```sh tested$/ { inside = 1; next } /^```/ { inside = 0 } inside' docs/creating.md)
if [[ -z $examples ]]; then
    echo "docs/creating.md has no block marked 'sh tested'" >&2
    exit 1
fi
program=${CFA:-build/bin/cfa}
PATH="$(dirname "$(realpath "$program")"):$PATH"
cd "$folder"
bash -euxo pipefail -c "$examples"
