#!/usr/bin/env bash
# Sets up, builds and runs every check; then reports the time and the processor time of each stage, which stages failed,
# and the number of tests. A stage that fails does not stop the others, except that nothing can follow a failed set-up
# or build. After the build two lanes of stages run side by side: those that compile in target/debug, and those that use
# the products. The lane that ends first goes on with the remaining stages. The output of a stage is shown when it ends,
# and kept in build/test/STAGE.log.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

logs=build/test
rm -rf "$logs"
mkdir -p "$logs"
CFA_LEFT_OUT=$PWD/$logs/left_out
export CFA_LEFT_OUT
: >"$CFA_LEFT_OUT"

# stage NAME COMMAND...: its result goes to NAME.result, its output to NAME.log and then, in one piece, to the terminal.
stage() {
    local name=$1 begin=$SECONDS result=ok TIMEFORMAT='%U %S'
    { time "${@:2}" >"$logs/$name.log" 2>&1 </dev/null; } 2>"$logs/$name.time"
    case $? in
    0) ;;
    77) result='left out' ;;
    *) result=FAILED ;;
    esac
    printf '%-16s %4d s, CPU %5.0f s  %s\n' "$name" $((SECONDS - begin)) "$(awk '{ print $1 + $2 }' "$logs/$name.time")" "$result" \
        >"$logs/$name.result"
    {
        flock 9
        printf '\n== %s\n' "$name"
        cat "$logs/$name.log"
    } 9>"$logs/terminal"
    [[ $result != FAILED ]]
}

compiling() {
    stage lint scripts/lint.sh
    local gdal
    mapfile -t gdal < <(scripts/gdal_crate.sh)
    stage cargo-test cargo test --locked --quiet --no-fail-fast --package cfa "${gdal[@]}"
    stage readers scripts/test_readers.sh
    stage cmake scripts/test_cmake.sh
    either
}

using() {
    stage python scripts/test_python.sh
    stage gdal scripts/test_gdal.sh
    stage cf-python scripts/test_cf_python.sh
    stage remote scripts/test_remote.sh
    stage conformance scripts/conformance.sh
    stage fortran fortran/tests/run.sh
    stage instructions scripts/instructions.sh
    stage install tests/install.sh
    stage readme scripts/test_readme.sh
    stage examples scripts/test_examples.sh
    stage demo demo/run.sh
    stage sample /usr/bin/python3 demo/check_sample.py build/demo
    either
}

# Both lanes come here; a stage is run by the first of them.
either() {
    for name in thread address; do
        if mkdir "$logs/$name.taken" 2>/dev/null; then
            stage "sanitize-$name" scripts/sanitize.sh "$name"
        fi
    done
}

finish() {
    local failed
    printf '\n'
    cat "$logs"/*.result
    sed 's/^/left out: /' "$CFA_LEFT_OUT"
    /usr/bin/env python3 scripts/count_tests.py "$logs"
    failed=$(awk '/FAILED$/ { printf " %s", $1 }' "$logs"/*.result)
    if [[ -n $failed ]]; then
        echo "make test: FAILED ($(echo "$failed" | xargs)) after $SECONDS s"
        exit 1
    fi
    echo "make test: ok, $(find "$logs" -name '*.result' | wc -l) stages in $SECONDS s"
    exit 0
}

stage deps scripts/deps.sh || finish
stage build make --no-print-directory build || finish
compiling &
using
wait
finish
