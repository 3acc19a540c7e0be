#!/usr/bin/env bash
# Runs the tests of files on servers. The program and the GDAL driver are clients of an Apache, and of an S3 server in a
# virtual environment, which each test starts on free ports of this machine.
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ ! -x /usr/sbin/apache2 ]]; then
    exec scripts/left_out.sh remote "there is no /usr/sbin/apache2 (make deps)"
fi
# The variable replaces GDAL's own folder, so both are given.
GDAL_DRIVER_PATH=$PWD/build/gdalplugins:$(scripts/gdal_plugins_dir.sh)
export GDAL_DRIVER_PATH PYTHONDONTWRITEBYTECODE=1

failed=()
if ! scripts/environment.sh build/remote tests/remote/requirements.txt; then
    scripts/left_out.sh s3 "the packages of tests/remote/requirements.txt cannot be fetched" || failed+=(s3)
fi
for test in tests/remote/test_*.py; do
    if [[ $test == *_s3*.py && ! -x build/remote/bin/moto_server ]]; then
        continue
    fi
    echo "remote: $test"
    /usr/bin/python3 "$test" || failed+=("$test")
done

suite=${CONFORMANCE:-../shared/conformance}
if [[ -d $suite ]]; then
    /usr/bin/python3 tests/remote/conformance.py "$suite" || failed+=(conformance)
else
    scripts/left_out.sh conformance "$suite is not there"
fi

if ((${#failed[@]})); then
    printf 'remote: FAILED %s\n' "${failed[@]}" >&2
    exit 1
fi
