#!/usr/bin/env bash
# Builds one product of the crate into build/; the only script that calls cargo to make something for users.
#
#   scripts/cargo.sh program    build/bin/cfa, build/share: its manual pages and shell completions
#   scripts/cargo.sh shared     build/lib/libcfa.so*, build/lib/pkgconfig/cfa.pc, build/include/cfa.h
#   scripts/cargo.sh static     build/lib/libcfa.a
#   scripts/cargo.sh plugin     build/gdalplugins/gdal_CFA.so, for the GDAL of gdal-config
#   scripts/cargo.sh contest    build/bench/contest, one timed read for `make bench` and scripts/instructions.sh; needs libcfa.a
#
# CFA_PROFILE=dev makes the development build, below build/dev; CFA_OUT names another place than build/.
# Each crate type is built by itself: cargo leaves out link-time optimisation when types are mixed.
set -euo pipefail
cd "$(dirname "$0")/.."

profile=${CFA_PROFILE:-release}
case $profile in
release) made=${CARGO_TARGET_DIR:-target}/release out=build ;;
*) made=${CARGO_TARGET_DIR:-target}/${profile/dev/debug} out=build/$profile ;;
esac
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
out=${CFA_OUT:-$out}
soname=libcfa.so.${version%%.*}

build_program() {
    cargo build --locked --profile "$profile" --bin cfa
    install -D "$made/cfa" "$out/bin/cfa"
    "$out/bin/cfa" documents "$out/share"
}

# The linker is told to find every symbol, and
# to keep the library in memory after dlclose: idle threads of the pool must not lose their code.
build_shared() {
    cargo rustc --locked --profile "$profile" --lib --no-default-features --features remote --crate-type cdylib -- \
        -C "link-arg=-Wl,-soname,$soname" -C link-arg=-Wl,-z,defs -C link-arg=-Wl,-z,nodelete
    install -D -m 644 "$made/libcfa.so" "$out/lib/libcfa.so.$version"
    ln -sf "libcfa.so.$version" "$out/lib/$soname"
    ln -sf "$soname" "$out/lib/libcfa.so"
    install -D -m 644 include/cfa.h "$out/include/cfa.h"
    mkdir -p "$out/lib/pkgconfig"
    # Paths relative to the file itself keep it right in build/ and in any prefix.
    cat >"$out/lib/pkgconfig/cfa.pc" <<TEXT
prefix=\${pcfiledir}/../..
libdir=\${prefix}/lib
includedir=\${prefix}/include

Name: cfa
Description: Opens aggregation netCDF files and gives their data as if stored in one file
Version: $version
Libs: -L\${libdir} -lcfa
Libs.private: -lutil -lrt -lpthread -lm -ldl
Cflags: -I\${includedir}
TEXT
}

build_static() {
    cargo rustc --locked --profile "$profile" --lib --no-default-features --features remote --crate-type staticlib
    hide_all_but_exports "$made/libcfa.a" "$out/lib/libcfa.a"
}

# hide_all_but_exports ARCHIVE RESULT: joins the objects into one, so that they need no global names among
# themselves, and leaves out what no export reaches. Without this, zstd and libdeflate in here and those of a program take
# each other's place. The bitcode of Rust's library goes: in one section, it is no bitcode that tools can read.
hide_all_but_exports() {
    local work
    work=$(mktemp -d)
    sed 's/^/--undefined=/' c_tests/symbols.txt >"$work/roots"
    "${LD:-ld}" -r --force-group-allocation --gc-sections "@$work/roots" "$1" -o "$work/joined.o"
    "${OBJCOPY:-objcopy}" --keep-global-symbols=c_tests/symbols.txt --remove-section=.llvmbc --remove-section=.llvmcmd \
        "$work/joined.o" "$work/cfa.o"
    "${AR:-ar}" rcs "$work/libcfa.a" "$work/cfa.o"
    install -D -m 644 "$work/libcfa.a" "$2"
    rm -rf "$work"
}

# Two sets of features in one target directory overwrite each other, so the plugin has its own.
build_plugin() {
    local target=${CARGO_TARGET_DIR:-target}/plugin flags=-O2 features=gdal,remote major minor
    # The crate gdal-sys brings bindings up to GDAL 3.12; for later versions it makes them, with libclang.
    IFS=. read -r major minor _ < <("${GDAL_CONFIG:-gdal-config}" --version)
    ((major == 3 && minor <= 12)) || features=gdal-bindgen,remote
    CARGO_TARGET_DIR=$target cargo rustc --locked --profile "$profile" --lib --no-default-features \
        --features "$features" --crate-type staticlib
    [[ $profile == release ]] || flags="-O1 -g"
    make --no-print-directory --silent -C gdal -j "$(nproc)" CXXFLAGS="${CXXFLAGS:-$flags}" \
        OBJECTS="$PWD/$out/gdal-objects" OUT="$PWD/$out/gdalplugins/gdal_CFA.so" \
        ENGINE="$(realpath "$target")/${made##*/}/libcfa.a"
}

build_contest() {
    mkdir -p "$out/bench"
    cc -std=c99 -O2 -Wall -Wextra -Iinclude examples/contest.c -o "$out/bench/contest" "$out/lib/libcfa.a" \
        -lutil -lrt -lpthread -lm -ldl
}

case ${1-} in
program | shared | static | plugin | contest) "build_$1" ;;
*)
    sed -n 's/^# \{0,1\}//; 2,10p' "$0" >&2
    exit 2
    ;;
esac
