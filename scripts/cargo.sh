#!/usr/bin/env bash
# Builds one product of the crate into build/; the only script that calls cargo to make something for users.
#
#   scripts/cargo.sh program    build/bin/cfa
#   scripts/cargo.sh shared     build/lib/libcfa.so*, build/lib/pkgconfig/cfa.pc
#   scripts/cargo.sh static     build/lib/libcfa.a
#
# Each crate type is built by itself: cargo leaves out link-time optimisation when types are mixed.
set -euo pipefail
cd "$(dirname "$0")/.."

release=${CARGO_TARGET_DIR:-target}/release
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
soname=libcfa.so.${version%%.*}

build_program() {
    cargo build --locked --release --bin cfa
    install -D "$release/cfa" build/bin/cfa
}

build_shared() {
    cargo rustc --locked --release --lib --no-default-features --features write --crate-type cdylib -- \
        -C "link-arg=-Wl,-soname,$soname"
    install -D -m 644 "$release/libcfa.so" "build/lib/libcfa.so.$version"
    ln -sf "libcfa.so.$version" "build/lib/$soname"
    ln -sf "$soname" build/lib/libcfa.so
    mkdir -p build/lib/pkgconfig
    # Paths relative to the file itself keep it right in build/ and in any prefix.
    cat >build/lib/pkgconfig/cfa.pc <<TEXT
prefix=\${pcfiledir}/../..
libdir=\${prefix}/lib
includedir=\${prefix}/include

Name: cfa
Description: Opens aggregation netCDF files and gives their data as if stored in one file
Version: $version
Libs: -L\${libdir} -lcfa
Libs.private: -lgcc_s -lutil -lrt -lpthread -lm -ldl -lc
Cflags: -I\${includedir}
TEXT
}

build_static() {
    cargo rustc --locked --release --lib --no-default-features --crate-type staticlib
    install -D -m 644 "$release/libcfa.a" build/lib/libcfa.a
}

case ${1-} in
program | shared | static) "build_$1" ;;
*)
    sed -n 's/^# \{0,1\}//; 2,6p' "$0" >&2
    exit 2
    ;;
esac
