#!/usr/bin/env bash
# Sets up, builds and runs every check; then says how long each stage took and which failed.
# A stage that fails does not stop the later ones, except that nothing can follow a failed set-up or build.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

report=()
failed=()
CFA_LEFT_OUT=$(mktemp)
export CFA_LEFT_OUT
trap 'rm -f "$CFA_LEFT_OUT"' EXIT

stage() {
    local name=$1 begin=$SECONDS result=ok
    printf '\n== %s\n' "$name"
    "${@:2}"
    case $? in
    0) ;;
    77) result='left out' ;;
    *) result=FAILED && failed+=("$name") ;;
    esac
    report+=("$(printf '%-13s %5d s  %s' "$name" $((SECONDS - begin)) "$result")")
    [[ $result != FAILED ]]
}

finish() {
    printf '\n'
    printf '%s\n' "${report[@]}"
    sed 's/^/left out: /' "$CFA_LEFT_OUT"
    if ((${#failed[@]})); then
        echo "make test: FAILED (${failed[*]}) after $SECONDS s"
        exit 1
    fi
    echo "make test: ok, ${#report[@]} stages in $SECONDS s"
}

stage deps scripts/deps.sh || finish
stage build make --no-print-directory build || finish
stage lint scripts/lint.sh
stage cargo-test cargo test --locked --quiet
stage sanitize scripts/sanitize.sh
stage demo demo/run.sh
stage sample /usr/bin/python3 demo/check_sample.py build/demo
stage readme scripts/test_readme.sh
stage fortran fortran/tests/run.sh
stage install tests/install.sh
stage cmake scripts/test_cmake.sh
stage gdal scripts/test_gdal.sh
stage remote scripts/test_remote.sh
stage creating scripts/test_creating.sh
stage cf-python scripts/test_cf_python.sh
stage conformance scripts/conformance.sh
stage instructions scripts/instructions.sh
finish
