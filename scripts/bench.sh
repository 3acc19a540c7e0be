#!/usr/bin/env bash
# Times the parts of the engine (benches/) and, if the yardstick lies beside the repository, whole reads against LIMIT
# and a C loop over libnetcdf. Prints ratios, and how time depends on fragments and threads. Environment variables:
#
#   UPDATE=1        put the tables into docs/performance.md and the graph into docs/performance.svg
#   CFA_BENCH       the yardstick: gen.py, run.py, limit.c, ..; ../shared/bench unless given
#   CFA_BENCH_DIR   its data (3 GB), made on the first run; build/bench/data unless given
#   ROUNDS          how often everything is measured; 3 unless given. Minima are reported
#   PYTHON          a Python with numpy, netCDF4 and h5py; /usr/bin/python3 unless given
set -euo pipefail
cd "$(dirname "$0")/.."

suite=${CFA_BENCH:-../shared/bench}
data=${CFA_BENCH_DIR:-build/bench/data}
python=${PYTHON:-/usr/bin/python3}
results=$PWD/build/bench/results.jsonl
threads=$PWD/build/bench/threads.jsonl

scripts/cargo.sh products
scripts/cargo.sh contest
cargo bench --locked --bench micro

if [[ ! -d $suite ]]; then
    echo "bench: reads are not compared, $suite is not there"
    exit 0
fi
if ! echo '#include <libdeflate.h>' | cc -E - >/dev/null 2>&1; then
    echo "bench: LIMIT needs libdeflate; run as root: apt-get install libdeflate-dev" >&2
    exit 1
fi

mkdir -p "$data"
data=$(realpath "$data")
for workload in w1 w2 w3 w4 w6; do
    index=$data/$workload/limit.idx
    [[ $workload != w6 ]] || index=$data/$workload/limit_1.idx
    if [[ ! -e $index ]]; then
        "$python" "$suite/gen.py" --dir "$data" --only "$workload"
        "$python" "$suite/mkindex.py" "$data/$workload"
    fi
done

rm -f "$results" "$threads"
# More repeats than rounds: a read of milliseconds is disturbed by little.
"$python" "$suite/run.py" --dir "$data" --python "$python" --build --warm --rounds "${ROUNDS:-3}" --reps 2 \
    --only limit,cloop,libcfa --libcfa-prog "$PWD/build/bench/contest" --results "$results"
"$python" scripts/bench_threads.py build/bench/contest "$data" "${ROUNDS:-3}" >"$threads"

# Reads over http, where there is a server for them.
if command -v nginx >/dev/null || [[ -x /usr/sbin/nginx ]]; then
    update=()
    [[ ${UPDATE:-0} != 1 ]] || update=(--update docs/performance.md)
    "$python" scripts/bench_remote.py "$suite" "$data" "$PWD/build/bench/contest" "${ROUNDS:-3}" "${update[@]}"
else
    echo "bench: reads over http are not compared, there is no nginx (make deps FOR=bench)"
fi

report=("$python" scripts/bench_report.py "$results" "$threads")
"${report[@]}"
if [[ ${UPDATE:-0} == 1 ]]; then
    "${report[@]}" --update docs/performance.md
    "$python" scripts/bench_graph.py "$results" "$threads" >docs/performance.svg
    echo "bench: docs/performance.md and docs/performance.svg have the figures of this run"
fi
