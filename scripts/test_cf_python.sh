#!/usr/bin/env bash
# Compares the results of cfa and of cf-python for the same files: CF-1.13 with the current release of cf-python,
# CFA-0.6.2 with 3.16, the last release that has it. Both live in virtual environments under build/.
set -euo pipefail
cd "$(dirname "$0")/.."

export PYTHONDONTWRITEBYTECODE=1
program=$PWD/build/bin/cfa
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

compare() {
    local dialect=$1
    if ! scripts/environment.sh "build/cf-python/$dialect" "tests/cf_python/requirements-$dialect.txt"; then
        scripts/left_out.sh cf-python "the packages for $dialect cannot be fetched"
        return
    fi
    "build/cf-python/$dialect/bin/python" tests/cf_python/compare.py "$program" "$work/$dialect" "$dialect"
}

compare CF-1.13 >"$work/first" 2>&1 &
first=$!
failed=0
compare CFA-0.6.2 || failed=1
wait "$first" || failed=1
cat "$work/first"
exit "$failed"
