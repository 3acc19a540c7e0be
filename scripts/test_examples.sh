#!/usr/bin/env bash
# Runs the examples of docs/creating.md and docs/cookbook.md, each in a fresh directory with files that a script writes
# (scripts/run_examples.py says what is compared). Then compares the results of cfa, xarray and cf-python for the
# archives of the cookbook with their contents and with its tables (scripts/cookbook_table.py), and the pictures with
# new ones. With UPDATE=1 the cookbook gets what the commands print and draw.
set -euo pipefail
cd "$(dirname "$0")/.."

export PYTHONDONTWRITEBYTECODE=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

mkdir "$work/creating" "$work/cookbook"
/usr/bin/python3 scripts/make_examples.py "$work/creating"
/usr/bin/python3 scripts/run_examples.py docs/creating.md "$work/creating" || failed=1
/usr/bin/python3 scripts/cookbook_archives.py "$work/cookbook"
/usr/bin/python3 scripts/run_examples.py docs/cookbook.md "$work/cookbook" || failed=1

# The packages with which the aggregations of cf-python are compared have xarray too.
python=build/cf-python/CF-1.13/bin/python
if ! scripts/environment.sh build/cf-python/CF-1.13 tests/cf_python/requirements-CF-1.13.txt; then
    scripts/left_out.sh cf-python "the packages for CF-1.13 cannot be fetched" || failed=1
    python=/usr/bin/python3
fi
"$python" scripts/cookbook_table.py "$work/cookbook" || failed=1

for picture in docs/cookbook-*.png; do
    drawn=$work/cookbook/${picture#docs/cookbook-}
    [[ ${UPDATE:-} != 1 ]] || cp "$drawn" "$picture"
    cmp "$picture" "$drawn" || failed=1
done
exit "$failed"
