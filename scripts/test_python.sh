#!/usr/bin/env bash
# Builds the wheel of the Python package, installs it into an environment of its own and runs the tests of python/tests
# with it, beside those of docs/python.md. Arguments go to pytest.
set -euo pipefail
cd "$(dirname "$0")/.."

environment=build/python
if ! scripts/environment.sh "$environment" python/requirements-test.txt ||
    ! scripts/environment.sh build/wheel-tools python/requirements-build.txt; then
    exec scripts/left_out.sh python "the packages of python/requirements-*.txt cannot be fetched"
fi
scripts/cargo.sh wheel
wheel=$(find build/wheels -name 'libcfa-*.whl')
"$environment/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall "$wheel"

# What the wheel promises: no library but those of every Linux, and types that hold.
"build/wheel-tools/bin/auditwheel" show "$wheel" | tee build/test/auditwheel.txt
grep --quiet 'manylinux_2_17_x86_64' build/test/auditwheel.txt
"$environment/bin/mypy" --strict --python-version 3.11 python/libcfa
"$environment/bin/ruff" check python
"$environment/bin/ruff" format --check python

# The wheel of rasterio has a GDAL of its own, of whose headers only packages of other systems may have the version.
minor=$("$environment/bin/python" -c 'import rasterio; print(".".join(rasterio.__gdal_version__.split(".")[:2]))')
if scripts/cargo.sh wheel-plugin "$minor"; then
    export CFA_GDAL_PLUGINS=$PWD/build/gdalplugins/wheels
else
    scripts/left_out.sh rasterio "a plugin for GDAL $minor cannot be built"
fi

export PYTHONDONTWRITEBYTECODE=1
"$environment/bin/python" -m pytest -p no:cacheprovider --rootdir python python/tests "$@"
