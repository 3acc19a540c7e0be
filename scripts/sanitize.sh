#!/usr/bin/env bash
# Runs the C tests with the library itself under AddressSanitizer, and the C side under UndefinedBehaviorSanitizer too.
#
# The sanitizers of Rust are not stable yet, hence RUSTC_BOOTSTRAP, here and nowhere else. ThreadSanitizer would need a
# rebuilt standard library: without, it reports the reference counts of Arc, whose fences it does not see.
set -euo pipefail
cd "$(dirname "$0")/.."

host=$(rustc -vV | sed -n 's/^host: //p')
fixtures=$(mktemp -d)
trap 'rm -rf "$fixtures"' EXIT
for source in c_tests/fixtures/*.cdl; do
    ncgen -4 -o "$fixtures/$(basename "$source" .cdl).nc" "$source"
    cp "$source" "$fixtures"
done

# sanitize NAME FLAGS_OF_CC TEST...
sanitize() {
    local name=$1 flags=$2 library=$PWD/target/$1/$host/debug
    RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=$name -Cunsafe-allow-abi-mismatch=sanitizer" \
        cargo rustc --quiet --locked --lib --no-default-features --crate-type cdylib --target "$host" --target-dir "target/$name"
    for test in "${@:3}"; do
        cc -g -std=c99 -D_POSIX_C_SOURCE=200809L "-fsanitize=$flags" -fno-sanitize-recover=all -Iinclude "c_tests/$test.c" \
            -o "$fixtures/$test" -L"$library" -lcfa -lpthread "-Wl,-rpath,$library"
        "$fixtures/$test" "$fixtures" 5
        echo "sanitize: $name $test ok"
    done
}

sanitize address address,undefined arguments metadata options read threads
