#!/usr/bin/env bash
# Builds products of the crate into build/, in the order in which the arguments name them. The only script that calls
# cargo to make something for users.
#
#   scripts/cargo.sh products   build/bin/cfa, build/share: its manual pages and shell completions;
#                               build/lib/libcfa.so*, libcfa.a, pkgconfig/cfa.pc, build/include/cfa.h
#   scripts/cargo.sh plugin     build/gdalplugins/gdal_CFA.so, for the GDAL of gdal-config
#   scripts/cargo.sh wheel-plugin MINOR
#                               build/gdalplugins/wheels/MINOR/gdal_CFA.so, for a GDAL that is part of a Python wheel,
#                               as in rasterio (libcfa.rasterio loads it); with the headers of GDAL_CONFIG or of
#                               gdal_headers.sh
#   scripts/cargo.sh wheel      build/wheels/libcfa-*.whl, the Python package, for every Linux of 2014 and later
#   scripts/cargo.sh contest    build/bench/contest, one timed read for `make bench` and scripts/instructions.sh; needs libcfa.a
#
# CFA_PROFILE=dev makes the development build, below build/dev; CFA_OUT names another place than build/. CFA_BESIDE has
# further targets for cargo, such as --test=all in the tests, since the targets of one call share the features of their
# dependencies. One compilation of the engine serves the program, both libraries, the plugin and the Python package.
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

# Released products name no folder of the machine that they were built on, and have no symbols that nobody can use.
strip=()
if [[ $profile == release ]]; then
    strip=("-Wl,--strip-all")
    cargo_home=${CARGO_HOME:-$HOME/.cargo}
    # The sources of Rust's library have these names already, unless they were installed beside the compiler (rust-src).
    compiler=${RUSTC:-rustc}
    rust_sources=$("$compiler" --print sysroot)/lib/rustlib/src/rust
    rust_name=/rustc/$("$compiler" --version --verbose | sed -n 's/^commit-hash: //p')
    renamed="--remap-path-prefix=$rust_sources=$rust_name"$'\x1f'"--remap-path-prefix=$cargo_home=cargo"
    renamed+=$'\x1f'"--remap-path-prefix=$PWD=."
    given=${CARGO_ENCODED_RUSTFLAGS:-${RUSTFLAGS-}}
    export CARGO_ENCODED_RUSTFLAGS="${given:+${given// /$'\x1f'}$'\x1f'}$renamed"
    export CFLAGS="${CFLAGS-} -ffile-prefix-map=$cargo_home=cargo"
fi

build_products() {
    local beside
    read -ra beside <<<"${CFA_BESIDE-}"
    cargo build --locked --profile "$profile" --lib --bin cfa --package cfa "${plugin[@]}" "${beside[@]}"
    install -D "$made/cfa" "$out/bin/cfa"
    "$out/bin/cfa" documents "$out/share"
    make_libraries "$made/libcfa.a"
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

# make_libraries ARCHIVE: joins the objects of the archive into one that has no global names but the exports, and leaves
# out code that no export reaches. libcfa.a and libcfa.so are made of it. Without this, the zstd and libdeflate of the
# library and those of a program would take each other's place. The bitcode of Rust's library is removed, since joined
# into one section no tool can read it. The linker must find every symbol, and the shared library stays in memory after
# dlclose: idle threads of the pool must not lose their code.
make_libraries() {
    local work
    work=$(mktemp -d)
    sed 's/^/--undefined=/' c_tests/symbols.txt >"$work/roots"
    "${LD:-ld}" -r --force-group-allocation --gc-sections "@$work/roots" "$1" -o "$work/joined.o"
    "${OBJCOPY:-objcopy}" --keep-global-symbols=c_tests/symbols.txt --remove-section=.llvmbc --remove-section=.llvmcmd \
        "$work/joined.o" "$work/cfa.o"
    [[ $profile != release ]] || "${OBJCOPY:-objcopy}" --strip-debug "$work/cfa.o"
    "${AR:-ar}" rcs "$work/libcfa.a" "$work/cfa.o"
    install -D -m 644 "$work/libcfa.a" "$out/lib/libcfa.a"
    "${CC:-cc}" -shared "$work/cfa.o" -o "$work/libcfa.so" -Wl,-soname,"$soname" -Wl,-z,defs -Wl,-z,nodelete -Wl,-z,relro,-z,now \
        -Wl,--gc-sections "${strip[@]}" -lgcc_s -lm
    install -m 644 "$work/libcfa.so" "$out/lib/libcfa.so.$version"
    ln -sf "libcfa.so.$version" "$out/lib/$soname"
    ln -sf "$soname" "$out/lib/libcfa.so"
    rm -rf "$work"
}

# The places of the plugin and of its parts, and further settings of the C++ side.
plugins=gdalplugins objects=gdal-objects host=()

# gdal ARGUMENT...: makes the C++ side, and links the plugin.
gdal() {
    local flags=-O2
    [[ $profile == release ]] || flags="-O1 -g"
    make --no-print-directory --silent -C gdal CXXFLAGS="${CXXFLAGS:-$flags}" LDFLAGS="${LDFLAGS-} ${strip[*]}" \
        OBJECTS="$PWD/$out/$objects" OUT="$PWD/$out/$plugins/gdal_CFA.so" \
        ENGINE="$(realpath --canonicalize-missing "$made/libcfa_gdal.a")" "${host[@]}" "$@"
}

build_plugin() {
    cargo build --locked --profile "$profile" --lib "${plugin[@]}"
    wait "$compiling"
    gdal -j "$(nproc)"
}

# for_wheels MINOR: makes the plugin for a library that has another name in each wheel. In place of that name it has a
# mark, which libcfa.rasterio replaces when it loads the plugin. An ordinary plugin would also load the library of the
# system.
for_wheels() {
    local wanted=${1:?which minor version of GDAL, as in 3.10} config version
    config=${GDAL_CONFIG:-$(scripts/gdal_headers.sh "$wanted")}
    version=$("$config" --version)
    if [[ $version != "$wanted".* ]]; then
        echo "cargo.sh: $config is that of GDAL $version, not $wanted" >&2
        exit 1
    fi
    plugins=gdalplugins/wheels/$wanted objects=gdal-objects/$wanted
    host=(HOST="$PWD/$out/$objects/libgdal.so")
    mkdir -p "$out/$objects"
    "${CC:-cc}" -shared -x c /dev/null -o "$out/$objects/libgdal.so" -Wl,-soname,"libgdal-of-the-wheel-$(printf '_%.0s' {1..1000})"
    # The crate gdal-sys asks for the version here, since pkg-config knows that of the system alone.
    export GDAL_CONFIG=$config GDAL_VERSION=$version
    GDAL_INCLUDE_DIR=$("$config" --cflags | sed 's/^-I//; s/ .*//')
    export GDAL_INCLUDE_DIR
}

build_contest() {
    mkdir -p "$out/bench"
    cc -std=c99 -O2 -Wall -Wextra -Iinclude examples/contest.c -o "$out/bench/contest" "$out/lib/libcfa.a" \
        -lutil -lrt -lpthread -lm -ldl
}

# The engine of the package is the one that `products` compiles, with the same features and flags. Only Zig links it,
# against an old glibc, so that the wheel runs on older systems than this one. maturin checks that it needs no newer
# one.
build_wheel() {
    local tools=$PWD/build/wheel-tools linker=$PWD/build/wheel-tools/linker
    scripts/environment.sh "$tools" python/requirements-build.txt
    printf '#!/bin/sh\nexec "%s" zig cc -- -target %s-linux-gnu.2.17 "$@"\n' "$tools/bin/maturin" "$(uname -m)" >"$linker"
    chmod +x "$linker"
    PATH=$tools/bin:$PATH maturin build --locked --release --features cfa/default,pyo3/extension-module \
        --compatibility manylinux2014 --manifest-path python/Cargo.toml --out "$out/wheels" -- -Clinker="$linker"
}

if [[ ${1-} == wheel-plugin ]]; then
    for_wheels "${2-}"
    set -- plugin
fi
for name in "${@:-none}"; do
    case $name in
    products | plugin | wheel | contest) ;;
    *)
        sed -n 's/^# \{0,1\}//; 2,15p' "$0" >&2
        exit 2
        ;;
    esac
done
# The C++ side is compiled while cargo works, which uses only one core while it compiles the engine. So is the crate
# that calls GDAL, if the products are made too.
plugin=()
if [[ " $* " == *" plugin "* ]]; then
    mapfile -t plugin < <(scripts/gdal_crate.sh)
    if ((!${#plugin[@]})); then
        echo "cargo.sh: the plugin needs ${GDAL_CONFIG:-gdal-config}, which is not there" >&2
        exit 1
    fi
    gdal objects &
    compiling=$!
fi
for name in "$@"; do
    "build_$name"
done
