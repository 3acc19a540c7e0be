#!/usr/bin/env bash
# Runs the program over the conformance cases, which live beside the repository; says so when they are not there.
# CONFORMANCE names another place for them.
set -euo pipefail
cd "$(dirname "$0")/.."

suite=${CONFORMANCE:-../shared/conformance}
if [[ ! -e $suite/check.py ]]; then
    exec scripts/left_out.sh conformance "$suite is not there"
fi
failed=()
# Threads and caches must not change a value.
for settings in '' 'CFA_NUM_THREADS=7 CFA_CACHE_BYTES=0 CFA_MAX_OPEN_FILES=1' 'CFA_NUM_THREADS=1 CFA_CACHE_BYTES=2K'; do
    echo "conformance: ${settings:-default settings}"
    # shellcheck disable=SC2086 # several assignments
    env $settings /usr/bin/python3 "$suite/check.py" --quiet \
        --command 'build/bin/cfa read {file} {variable} --start={start} --count={count} --stride={stride} --json' \
        "$suite/cases" "$suite/real" || failed+=("${settings:-default settings}")
done

# The same through the C API, by the example program.
cc -std=c99 -Iinclude examples/cfa_read.c -o build/cfa_read -Lbuild/lib -lcfa -lm "-Wl,-rpath,$PWD/build/lib"
/usr/bin/python3 "$suite/check.py" --quiet \
    --command "build/cfa_read {file} {variable} '{start}' '{count}' '{stride}'" \
    "$suite/cases" "$suite/real" || failed+=("C API")

if ((${#failed[@]})); then
    printf 'conformance: FAILED %s\n' "${failed[@]}" >&2
    exit 1
fi
