#!/usr/bin/env bash
# gdal_headers.sh MINOR: prints the gdal-config of the headers of GDAL 3.10, 3.12 or 3.13; the first two are in the wheels of
# rasterio 1.4.4 and 1.5.2. They come from packages of newer Debian and Ubuntu releases, below build/gdal-headers; nothing is
# installed. Needs apt and the keys of Debian. Fails, with the reason, where they cannot be had.
set -euo pipefail
cd "$(dirname "$0")/.."

minor=${1:?which minor version, as in 3.10}
folder=$PWD/build/gdal-headers/$minor

if [[ -x $folder/gdal-config ]]; then
    echo "$folder/gdal-config"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# fetch KEYRING MIRROR SUITE COMPONENT PACKAGE...: unpacks packages into $work/root, whose signatures apt checks.
fetch() {
    local apt=$work/$3 options
    mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$work/root"
    : >"$apt/status"
    echo "deb [signed-by=$1] $2 $3 $4" >"$apt/sources.list"
    options=(-qq -o "Dir::State=$apt/state" -o "Dir::State::status=$apt/status" -o "Dir::Cache=$apt/cache"
        -o "Dir::Etc::SourceList=$apt/sources.list" -o Dir::Etc::SourceParts=- -o Acquire::Languages=none
        -o "APT::Sandbox::User=$(id -un)")
    apt-get "${options[@]}" update >&2
    (cd "$apt" && apt-get "${options[@]}" download "${@:5}" >&2)
    for package in "$apt"/*.deb; do
        dpkg-deb -x "$package" "$work/root"
    done
}

debian() {
    fetch /usr/share/keyrings/debian-archive-keyring.gpg http://deb.debian.org/debian "$@"
}

# Debian has the keys of Ubuntu in a package.
ubuntu() {
    debian trixie main ubuntu-keyring
    fetch "$work/root/usr/share/keyrings/ubuntu-archive-keyring.gpg" http://archive.ubuntu.com/ubuntu "$@"
}

if ! command -v apt-get >/dev/null; then
    echo "gdal_headers: there is no apt-get; set GDAL_CONFIG to the gdal-config of a GDAL $minor" >&2
    exit 1
fi
case $minor in
3.10) debian trixie main libgdal-dev ;;
3.12) ubuntu resolute universe libgdal-dev ;;
3.13) debian sid main libgdal-dev ;;
*)
    echo "gdal_headers: no known package has GDAL $minor; set GDAL_CONFIG to the gdal-config of one" >&2
    exit 1
    ;;
esac

rm -rf "$folder"
mkdir -p "$folder"
mv "$work/root/usr/include/gdal" "$folder/include"
version=$(sed -n 's/^# *define GDAL_RELEASE_NAME *"\([0-9.]*\).*/\1/p' "$folder/include/gdal_version.h")
if [[ $version != "$minor".* ]]; then
    echo "gdal_headers: the package has GDAL $version instead of $minor" >&2
    exit 1
fi
cat >"$folder/gdal-config" <<TEXT
#!/bin/sh
case \$1 in
--version) echo "$version" ;;
--cflags) echo "-I$folder/include" ;;
esac
TEXT
chmod +x "$folder/gdal-config"
echo "$folder/gdal-config"
