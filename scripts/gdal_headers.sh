#!/usr/bin/env bash
# gdal_headers.sh MINOR: prints the gdal-config of the headers of GDAL 3.10 (the version in the wheel of rasterio 1.4.4)
# or 3.13. The headers come from packages of newer Debian releases, below build/gdal-headers; nothing is installed.
# Needs apt and the keys of Debian. Fails, with the reason, if they cannot be fetched; GDAL_CONFIG names the gdal-config
# of other versions.
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

# debian SUITE COMPONENT PACKAGE...: unpacks packages into $work/root, whose signatures apt checks.
debian() {
    local apt=$work/$1 options mirror
    mirror=$(scripts/debian_mirror.sh)
    if [[ -z $mirror ]]; then
        echo "gdal_headers: the apt sources of this system name no mirror of Debian; set GDAL_CONFIG to the gdal-config of a GDAL $minor" >&2
        exit 1
    fi
    mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$work/root"
    : >"$apt/status"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $1 $2" >"$apt/sources.list"
    options=(-qq -o "Dir::State=$apt/state" -o "Dir::State::status=$apt/status" -o "Dir::Cache=$apt/cache"
        -o "Dir::Etc::SourceList=$apt/sources.list" -o Dir::Etc::SourceParts=- -o Acquire::Languages=none
        -o "APT::Sandbox::User=$(id -un)")
    apt-get "${options[@]}" update >&2
    (cd "$apt" && apt-get "${options[@]}" download "${@:3}" >&2)
    for package in "$apt"/*.deb; do
        dpkg-deb -x "$package" "$work/root"
    done
}

if ! command -v apt-get >/dev/null; then
    echo "gdal_headers: there is no apt-get; set GDAL_CONFIG to the gdal-config of a GDAL $minor" >&2
    exit 1
fi
case $minor in
3.10) debian trixie main libgdal-dev ;;
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
