#!/usr/bin/env bash
# Counts the instructions of a few small reads, and of `cfa info` of the sample (callgrind), and compares them with
# benches/instructions.tsv. A noisy machine does not disturb these figures. Fails if one grows by more than 10 %, or by
# more than 30 % with another compiler than the one that the figures were taken with. UPDATE=1 writes the figures anew.
# Other kinds of processors run other code, so there the comparison is left out.
set -euo pipefail
cd "$(dirname "$0")/.."

figures=benches/instructions.tsv
contest=${CONTEST:-build/bench/contest} program=${CFA:-build/bin/cfa}
[[ -n ${CONTEST-} ]] || scripts/cargo.sh contest

kind=$(uname -m)
grep --quiet avx2 /proc/cpuinfo && kind+=+avx2
compiler=$(rustc --version)
build="$compiler, $kind"

data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT
/usr/bin/python3 scripts/instructions_data.py "$data"
/usr/bin/python3 demo/make_sample.py "$data/sample"

# instructions COMMAND...: counts the instructions of a command under valgrind.
instructions() {
    CFA_NUM_THREADS=1 valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null |
        sed -n 's/.*Collected : \([0-9]*\)/\1/p'
}

# count FILE SELECTION: the instructions of the library in one read by one thread; with `info`, those of the program.
count() {
    if [[ $2 == info ]]; then
        instructions "$program" info "$data/$1"
        return
    fi
    local collect=(--toggle-collect=cfa_dataset_open --toggle-collect=cfa_variable_rank --toggle-collect=cfa_variable_read)
    instructions "${collect[@]}" "$contest" "$data/$1" v "$2"
}

reads=(
    "open-100 deflated.nc -"
    "open-100000 many.nc -"
    "one-of-100000 many.nc 50000:50001:1,0:1:1,0:1:1"
    "all-deflated deflated.nc 0:100:1,0:64:1,0:96:1"
    "series-deflated deflated.nc 0:100:1,7:8:1,9:10:1"
    "all-packed packed.nc 0:100:1,0:64:1,0:96:1"
    "strided-contiguous contiguous.nc 0:100:1,0:64:8,0:96:8"
    "all-classic classic.nc 0:100:1,0:64:1,0:96:1"
    "info-sample sample/tas.nc info"
)

if [[ ${UPDATE:-0} == 1 ]]; then
    {
        printf '# instructions of small reads; written by UPDATE=1 scripts/instructions.sh\n# %s\n' "$build"
        for read in "${reads[@]}"; do
            read -r name file selection <<<"$read"
            printf '%s\t%s\n' "$name" "$(count "$file" "$selection")"
        done
    } >"$data/figures"
    mv "$data/figures" "$figures"
    cat "$figures"
    exit 0
fi

grep --quiet ", $kind\$" "$figures" || exec scripts/left_out.sh instructions "the figures are for another processor than $kind"
margin=10
if ! grep --quiet --fixed-strings --line-regexp "# $build" "$figures"; then
    margin=30
    echo "instructions: the figures are for another compiler than $compiler; $margin % more are accepted"
fi
status=0
for read in "${reads[@]}"; do
    read -r name file selection <<<"$read"
    before=$(awk -v name="$name" '$1 == name { print $2 }' "$figures")
    now=$(count "$file" "$selection")
    if [[ -z $before || -z $now ]]; then
        echo "instructions: $name has no figure; UPDATE=1 $0 writes it" >&2
        status=1
        continue
    fi
    printf '%-20s %12d %12d %+6.1f %%\n' "$name" "$before" "$now" "$(awk -v a="$before" -v b="$now" 'BEGIN { print 100 * (b - a) / a }')"
    if ((now * 100 > before * (100 + margin))); then
        echo "instructions: $name takes over $margin % more instructions than before" >&2
        status=1
    fi
done
exit $status
