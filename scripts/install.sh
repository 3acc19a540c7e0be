#!/usr/bin/env bash
# Installs what a build made, and prints the name of each installed file. `make install` and `cmake --install` both call
# it. Environment variables:
#
#   PREFIX                                  where to install; /usr/local unless given
#   BINDIR LIBDIR INCLUDEDIR DATADIR        PREFIX/bin, lib, include and share unless given
#   DESTDIR                                 put before every path, for packagers
#   CFA_OUT                                 the build; build/ unless given
#
# cfa.pc and the CMake package name all places relative to themselves: the installation may be moved.
set -euo pipefail
cd "$(dirname "$0")/.."

prefix=${PREFIX:-/usr/local}
bin=${BINDIR:-$prefix/bin}
lib=${LIBDIR:-$prefix/lib}
include=${INCLUDEDIR:-$prefix/include}
data=${DATADIR:-$prefix/share}
out=${CFA_OUT:-build}
if [[ ! -x $out/bin/cfa ]]; then
    echo "install: there is no $out/bin/cfa; run 'make build' first" >&2
    exit 1
fi
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
major=${version%%.*}
for place in "$prefix" "$bin" "$lib" "$include" "$data"; do
    [[ $place == /* ]] || { echo "install: $place is not an absolute path" >&2 && exit 1; }
done

# put MODE PLACE FILE...
put() {
    install -d "${DESTDIR-}$2"
    local file
    for file in "${@:3}"; do
        install -m "$1" "$file" "${DESTDIR-}$2/${file##*/}"
        echo "$2/${file##*/}"
    done
}

# put_link PLACE NAME TARGET
put_link() {
    ln -sfn "$3" "${DESTDIR-}$1/$2"
    echo "$1/$2"
}

# put_text PLACE NAME: standard input becomes the file.
put_text() {
    install -d "${DESTDIR-}$1"
    cat >"${DESTDIR-}$1/$2"
    chmod 644 "${DESTDIR-}$1/$2"
    echo "$1/$2"
}

from() { # from HERE PLACE: PLACE relative to HERE
    realpath --canonicalize-missing --no-symlinks --relative-to="$1" "$2"
}

put 755 "$bin" "$out/bin/cfa"
while IFS= read -r document; do
    put 644 "$data/$(dirname "$document")" "$out/share/$document"
done < <(find "$out/share" -type f -printf '%P\n' | sort)

put 644 "$include" include/cfa.h
put 755 "$lib" "$out/lib/libcfa.so.$version"
put_link "$lib" "libcfa.so.$major" "libcfa.so.$version"
put_link "$lib" libcfa.so "libcfa.so.$major"
put 644 "$lib" "$out/lib/libcfa.a"

pc=$lib/pkgconfig
sed -e "s|^prefix=.*|prefix=\${pcfiledir}/$(from "$pc" "$prefix")|" \
    -e "s|^libdir=.*|libdir=\${pcfiledir}/$(from "$pc" "$lib")|" \
    -e "s|^includedir=.*|includedir=\${pcfiledir}/$(from "$pc" "$include")|" \
    "$out/lib/pkgconfig/cfa.pc" | put_text "$pc" cfa.pc

package=$lib/cmake/cfa
for name in cfaConfig.cmake cfaConfigVersion.cmake; do
    sed -e "s|@VERSION@|$version|g" -e "s|@MAJOR@|$major|g" -e "s|@SONAME@|libcfa.so.$major|g" \
        -e "s|@INCLUDE_FROM_HERE@|$(from "$package" "$include")|g" "cmake/$name.in" | put_text "$package" "$name"
done

put 644 "$data/cfa/fortran" fortran/*.f90 fortran/*.inc
if [[ -e $out/lib/libcfa_fortran.a ]]; then
    put 644 "$lib" "$out/lib/libcfa_fortran.a"
    put 644 "$lib/cfa/fortran" "$out"/lib/cfa/fortran/*.mod
    put_text "$pc" cfa-fortran.pc <<TEXT
libdir=\${pcfiledir}/$(from "$pc" "$lib")

Name: cfa-fortran
Description: Fortran module of cfa
Version: $version
Requires: cfa
Libs: -L\${libdir} -lcfa_fortran
Cflags: -I\${libdir}/cfa/fortran
TEXT
fi
