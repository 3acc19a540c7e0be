#!/usr/bin/env bash
# Runs the program over the conformance cases, which live beside the repository; says so when they are not there.
# CONFORMANCE names another place for them.
set -euo pipefail
cd "$(dirname "$0")/.."

suite=${CONFORMANCE:-../shared/conformance}
if [[ ! -d $suite ]]; then
    echo "conformance: skipped, $suite is not there"
    exit 0
fi
/usr/bin/python3 "$suite/check.py" --quiet \
    --command 'build/bin/cfa read {file} {variable} --start={start} --count={count} --stride={stride} --json' \
    "$suite/cases" "$suite/real"

# The same through the C API, by the example program.
cc -std=c99 -Iinclude examples/cfa_read.c -o build/cfa_read -Lbuild/lib -lcfa -lm "-Wl,-rpath,$PWD/build/lib"
/usr/bin/python3 "$suite/check.py" --quiet \
    --command "build/cfa_read {file} {variable} '{start}' '{count}' '{stride}'" \
    "$suite/cases" "$suite/real"
