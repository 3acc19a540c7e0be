#!/usr/bin/env bash
# Installs a build into a scratch prefix; then, outside the tree, builds programs against it and runs them: C with
# pkg-config, C linked statically, C and Fortran with CMake, Fortran with pkg-config. Steps whose compiler is not there
# are left out.
#
#   tests/install.sh [OUT]    OUT is build/ unless given
set -euo pipefail
cd "$(dirname "$0")/.."
top=$PWD
out=$(realpath "${1:-build}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

step() { echo "install: $*"; }
fail() { echo "install: $*" >&2 && exit 1; }

# check PROGRAM: it gives the sum of the fixture.
check() {
    local printed
    printed=$("$@" "$work/whole.nc") || fail "$1 ended with status $?"
    [[ $printed == "sum 3531" ]] || fail "$1 printed $printed"
}

# pc ARGUMENT...: pkg-config with this installation alone.
pc() { env PKG_CONFIG_LIBDIR="$prefix/lib/pkgconfig" pkg-config "$@"; }

step "into a prefix, which is then moved"
CFA_OUT=$out PREFIX=$work/first DESTDIR='' scripts/install.sh >"$work/installed"
while IFS= read -r file; do
    [[ -e $file ]] || fail "$file was not installed"
done <"$work/installed"
prefix=$work/prefix
mv "$work/first" "$prefix"
for file in include/cfa.h lib/libcfa.so lib/libcfa.a lib/pkgconfig/cfa.pc lib/cmake/cfa/cfaConfig.cmake \
    share/cfa/fortran/cfa.f90 share/man/man1/cfa.1 share/man/man1/cfa-read.1 \
    share/zsh/site-functions/_cfa share/fish/vendor_completions.d/cfa.fish; do
    [[ -s $prefix/$file ]] || fail "$file is missing"
done
if grep --recursive --binary-files=without-match --fixed-strings "$work/first" "$prefix"; then
    fail "files name the prefix: they cannot be moved"
fi

# A development build has its symbols, which name sources.
if ! readelf --sections --wide "$prefix/bin/cfa" | grep --quiet debug_info; then
    step "no product names folders of the machine it was built on"
    products=("$prefix")
    [[ ! -e $out/gdalplugins ]] || products+=("$out/gdalplugins")
    folders=(--regexp="$top" --regexp="${CARGO_HOME:-$HOME/.cargo}")
    ! command -v rustc >/dev/null || folders+=(--regexp="$(rustc --print sysroot)/lib/rustlib")
    ! named=$(grep --recursive --text --files-with-matches --fixed-strings "${folders[@]}" "${products[@]}") ||
        fail "named in $named"
fi

step "the program, its pages and completions"
[[ $("$prefix/bin/cfa" --version) == "cfa $(pc --modversion cfa)" ]] || fail "version of the program"
grep --quiet '^\.TH CFA' "$prefix/share/man/man1/cfa.1" || fail "man page"
bash --norc -c 'source "$1" && complete -p cfa >/dev/null' - "$prefix/share/bash-completion/completions/cfa" || fail "bash completion"
grep --quiet '^#compdef cfa' "$prefix/share/zsh/site-functions/_cfa" || fail "zsh completion"
grep --quiet '^complete -c cfa' "$prefix/share/fish/vendor_completions.d/cfa.fish" || fail "fish completion"
if grep --recursive --quiet documents "$prefix/share/man" "$prefix/share/bash-completion"; then
    fail "what only serves installing is offered to users"
fi

for name in whole part_1 part_2; do
    ncgen -4 -o "$work/$name.nc" "fortran/tests/$name.cdl"
done
cp tests/install/* "$work"
cd "$work"

step "C with pkg-config"
read -ra flags <<<"$(pc --cflags --libs cfa)"
cc -std=c99 -Wall -Wextra -Werror consumer.c -o with_pkg_config "${flags[@]}" -Wl,-rpath,"$prefix/lib"
check ./with_pkg_config
readelf -d with_pkg_config | grep --quiet 'NEEDED.*\[libcfa\.so\.0\]' || fail "the program does not name libcfa.so.0"

step "C, wholly static"
read -ra flags <<<"$(pc --static --cflags --libs cfa)"
# The linker warns of parts of the C library that are never called here (name lookup, home directories).
cc -static consumer.c -o static "${flags[@]}" 2>linked || { cat linked && fail "static link"; }
check ./static
if readelf -d static | grep NEEDED; then
    fail "the static program needs shared libraries"
fi

fortran=$(command -v "${FC:-gfortran}" || true)
[[ -e $prefix/lib/libcfa_fortran.a ]] || fortran=
if [[ -n $fortran ]]; then
    step "Fortran with pkg-config"
    read -ra flags <<<"$(pc --cflags --libs cfa-fortran)"
    "$fortran" consumer.f90 -o with_fortran "${flags[@]}" -Wl,-rpath,"$prefix/lib"
    check ./with_fortran
else
    "$top/scripts/left_out.sh" fortran "there is no compiler for it"
fi

if command -v cmake >/dev/null; then
    step "C and Fortran with CMake"
    cmake -S . -B consumer -DCMAKE_PREFIX_PATH="$prefix" >configured || { cat configured && fail "find_package"; }
    cmake --build consumer >built || { cat built && fail "CMake build"; }
    check consumer/shared
    check consumer/static
    [[ -z $fortran ]] || check consumer/fortran
else
    "$top/scripts/left_out.sh" cmake "it is not there"
fi

step "for a packager"
cd "$OLDPWD"
CFA_OUT=$out DESTDIR=$work/package PREFIX=/usr LIBDIR=/usr/lib/some-triplet scripts/install.sh >/dev/null
prefix=$work/package/usr
[[ -e $prefix/lib/some-triplet/libcfa.so && -e $prefix/bin/cfa ]] || fail "LIBDIR and DESTDIR"
includes=$(PKG_CONFIG_LIBDIR=$prefix/lib/some-triplet/pkgconfig pkg-config --variable=includedir cfa)
[[ $(realpath "$includes") == "$(realpath "$prefix/include")" ]] || fail "includedir is $includes"

# `make install` installs build/ alone.
if [[ $out == "$top/build" ]]; then
    step "with make, into a folder with a blank in its name, without cargo"
    mkdir "$work/tools"
    printf '#!/bin/sh\necho a compiler was called >&2\nexit 1\n' | tee "$work/tools/cargo" >"$work/tools/rustc"
    chmod +x "$work"/tools/*
    prefix="$work/two words"
    PATH=$work/tools:$PATH make --no-print-directory install PREFIX="$prefix" DESTDIR='' >/dev/null 2>"$work/said" ||
        fail "make install: $(<"$work/said")"
    [[ ! -s $work/said ]] || fail "make install said: $(<"$work/said")"
    [[ $("$prefix/bin/cfa" --version) == "cfa "* ]] || fail "the program was not installed"
    [[ ! -e $out/gdalplugins || -s $prefix/lib/gdalplugins/gdal_CFA.so ]] || fail "the plugin was not installed"
fi
