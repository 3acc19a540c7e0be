#!/usr/bin/env bash
# Runs the C tests with the library itself under sanitizers: AddressSanitizer, which finds leaks too, with the C side
# also under UndefinedBehaviorSanitizer; and ThreadSanitizer. Faults on purpose (c_tests/faults.c) show that each can
# find something.
#
#   scripts/sanitize.sh [address | thread]...    both by default
#
# The sanitizers of Rust are not stable yet, hence RUSTC_BOOTSTRAP, here and nowhere else. ThreadSanitizer needs a
# standard library that is built with it: otherwise it would report the reference counts of every Arc, whose fences it
# does not see.
set -euo pipefail
cd "$(dirname "$0")/.."

host=$(rustc -vV | sed -n 's/^host: //p')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
c_tests/make_fixtures.sh "$work"

# build NAME FLAGS_OF_RUSTC CARGO_ARGUMENT...: the static library
build() {
    RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=$1$2" cargo rustc --quiet --locked --lib --no-default-features \
        --crate-type staticlib --target "$host" --target-dir "target/$1" "${@:3}"
}

# compile NAME FLAGS TEST: the runtime of the sanitizer is the compiler's for the C side and Rust's for the library;
# Rust's is newer and serves both.
compile() {
    cc -g -std=c99 -D_POSIX_C_SOURCE=200809L -DFEATURES='"read write"' "-fsanitize=$2" -fno-sanitize-recover=all \
        -Iinclude -c "c_tests/$3.c" -o "$work/$3.o"
    cc "$work/$3.o" "target/$1/$host/debug/libcfa.a" \
        -Wl,--whole-archive "$(rustc --print sysroot)/lib/rustlib/$host/lib/librustc-stable_rt.${1:0:1}san.a" \
        -Wl,--no-whole-archive -Wl,--export-dynamic -lm -lpthread -ldl -lrt -o "$work/$3"
}

# passes NAME FLAGS TEST...
failed=()
passes() {
    for test in "${@:3}"; do
        compile "$1" "$2" "$test"
        if "$work/$test" "$work" 3; then
            echo "sanitize: $1 $test ok"
        else
            failed+=("$1 $test")
        fi
    done
}

# finds NAME FLAGS FAULT REPORT
finds() {
    compile "$1" "$2" faults
    if "$work/faults" "$work" "$3" >"$work/report" 2>&1 || ! grep --quiet "$4" "$work/report"; then
        cat "$work/report"
        failed+=("$1 does not find $3")
    else
        echo "sanitize: $1 finds $3"
    fi
}

check_address() {
    # Two static tables of one name in a template of libdeflate, as gcc describes them to the newer runtime, look like
    # one global that is defined twice.
    export ASAN_OPTIONS=detect_odr_violation=0
    build address ' -Cunsafe-allow-abi-mismatch=sanitizer'
    finds address address,undefined overflow 'heap-buffer-overflow'
    finds address address,undefined leak 'detected memory leaks'
    passes address address,undefined arguments chunks errors fragments meaning metadata options read replacing supplied threads \
        parallel writing writing_options
}

check_thread() {
    if [[ ! -e $(rustc --print sysroot)/lib/rustlib/src/rust/library/Cargo.lock ]]; then
        if ! rustup component add rust-src; then
            scripts/left_out.sh thread-sanitizer "the sources of Rust's library are not there, and rustup does not get them"
            return
        fi
    fi
    # A child that starts threads after a fork of a process with threads is what is tested.
    export TSAN_OPTIONS=die_after_fork=0
    build thread '' -Zbuild-std
    finds thread thread race 'data race'
    passes thread thread threads parallel writing
}

(($#)) || set -- address thread
for name in "$@"; do
    "check_$name"
done

if ((${#failed[@]})); then
    printf 'sanitize: FAILED %s\n' "${failed[@]}" >&2
    exit 1
fi
