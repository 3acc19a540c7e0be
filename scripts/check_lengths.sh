#!/usr/bin/env bash
# Fails when a source file has more than 600 lines: it then has two responsibilities.
# Generated tables are exempt when long_files.txt names them.
set -euo pipefail
cd "$(dirname "$0")/.."

limit=600
status=0
while IFS= read -r file; do
    lines=$(wc -l <"$file")
    if ((lines > limit)) && ! grep --quiet --line-regexp --fixed-strings "$file" scripts/long_files.txt; then
        echo "$file: $lines lines, more than $limit" >&2
        status=1
    fi
done < <(find . \( -name target -o -name build -o -name '.?*' \) -prune -o -type f \
    \( -name '*.rs' -o -name '*.sh' -o -name '*.py' -o -name '*.c' -o -name '*.h' -o -name '*.cpp' -o -name '*.f90' \) \
    -printf '%P\n' | sort)
exit $status
