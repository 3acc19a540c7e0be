#!/usr/bin/env bash
# Fails when a crate's licence is not a permissive one of the list below, which leaves out every GPL,
# or when docs/dependencies.md does not name a direct dependency.
set -euo pipefail
cd "$(dirname "$0")/.."

permissive='MIT|Apache-2\.0|BSD-3-Clause|ISC|CDLA-Permissive-2\.0|Zlib|0BSD|Unlicense|Unicode-3\.0|bzip2-1\.0\.6|LLVM-exception'
crates=(cargo tree --locked --workspace --edges "normal,build,dev" --prefix none)

# A crate without a licence field fails too. cbindgen (MPL-2.0) is a tool of one test: nothing of it is in a product.
all=$("${crates[@]}" --no-dedupe --format '{p}: {l}')
other=$(sort -u <<<"$all" |
    grep -v '^cbindgen v[^:]*: MPL-2\.0$' |
    grep -vE "^[^:]*: \(?($permissive)( (OR|AND|WITH) \(?($permissive)\)?|/($permissive)|\))*$" || true)
if [[ -n $other ]]; then
    printf 'licence not known to be permissive:\n%s\n' "$other" >&2
    exit 1
fi

status=0
# Without the packages of this repository, which cargo prints with their folders.
direct=$("${crates[@]}" --depth 1 --format '{p}' | grep -vE '^$| \(/')
while read -r name _; do
    if ! grep --quiet --fixed-strings "\`$name\`" docs/dependencies.md; then
        echo "docs/dependencies.md does not name the dependency $name" >&2
        status=1
    fi
done <<<"$direct"
exit $status
