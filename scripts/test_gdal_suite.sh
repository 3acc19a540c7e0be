#!/usr/bin/env bash
# Builds the plugin with the GDAL of another suite of Debian and runs the tests of the driver there, as test_gdal.sh
# does.
#
#   scripts/test_gdal_suite.sh SUITE [qgis]    trixie (GDAL 3.10), sid (the newest one), or any that the mirror has
#
# With `qgis` the QGIS of that suite is installed too (1.2 GB more), and its tests are run, those of its window among
# them. The suite is set up once, in build/suites/SUITE (2.5 GB), by root, from the mirror of the machine's own apt
# sources; remove that folder to set it up anew. All mounts are in a namespace of their own, so they are gone with the
# last process in it, however that ends. CFA_PROFILE=release builds what users have, slowly; the default is dev.
set -euo pipefail
cd "$(dirname "$0")/.."

suite=${1-} qgis=${2-}
if [[ ! $suite =~ ^[a-z]+$ || ! $qgis =~ ^(qgis)?$ ]]; then
    sed -n 's/^# \{0,1\}//; 2,10p' "$0" >&2
    exit 2
fi
place=$PWD/build/suites/$suite
root=$place/root

left_out() {
    scripts/left_out.sh "gdal-$suite" "$1" || exit 1
    exit 77
}

((EUID == 0)) || left_out "only root can set up another suite"
toolchain=$(rustc --print sysroot)
crates=${CARGO_HOME:-$HOME/.cargo}/registry

set_up() {
    rm -rf "$root.new"
    debootstrap --variant=minbase --include=ca-certificates "$suite" "$root.new" "$archive" >"$place/debootstrap.log" ||
        { tail -n 5 "$place/debootstrap.log" >&2 && return 1; }
    # How this machine uses the mirror: through a proxy, say.
    apt-config dump | grep -E '^Acquire::(http|https|Check-Valid-Until)' >"$root.new/etc/apt/apt.conf.d/90machine" || true
    mv "$root.new" "$root"
}

# The sources as they are here; what was built there stays.
copy_sources() {
    mkdir -p "$root/libcfa"
    find "$root/libcfa" -mindepth 1 -maxdepth 1 ! -name build ! -name target -exec rm -rf {} +
    tar --create --exclude=./build --exclude=./target --exclude=./.git . | tar --extract --no-same-owner -C "$root/libcfa"
}

mount_all() {
    mkdir -p "$root"/{rust,cargo/registry,shared/conformance}
    mount --rbind /dev "$root/dev"
    mount -t proc proc "$root/proc"
    mount_readonly "$toolchain" "$root/rust"
    mount_readonly "$crates" "$root/cargo/registry"
    local cases=${CONFORMANCE:-../shared/conformance}
    [[ ! -d $cases ]] || mount_readonly "$(realpath "$cases")" "$root/shared/conformance"
    cp --dereference --remove-destination /etc/resolv.conf /etc/hosts "$root/etc/"
}

mount_readonly() {
    mount --bind "$1" "$2"
    mount -o remount,bind,ro "$2"
}

# What a suite lacks by intention (QGIS, valgrind) is no part that is left out here.
inside() {
    env -u CFA_LEFT_OUT -u CARGO_TARGET_DIR -u GDAL_DRIVER_PATH PATH=/rust/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
        CARGO_HOME=/cargo CARGO_NET_OFFLINE=true PYTHONDONTWRITEBYTECODE=1 CFA_OUT=build CFA_PROFILE="${CFA_PROFILE:-dev}" \
        chroot "$root" /bin/bash -c "cd /libcfa && $1"
}

if [[ ${CFA_IN_NAMESPACE-} == "$place" ]]; then
    [[ -e $root ]] || set_up
    copy_sources
    mount_all
    inside "scripts/deps.sh suite${qgis:+-qgis}" >"$place/deps.log" || { tail -n 5 "$place/deps.log" >&2 && exit 1; }
    inside 'gdal-config --version' >"$place/version"
    inside 'scripts/cargo.sh products plugin'
    status=0
    inside 'rm -rf /tmp/*; scripts/test_gdal.sh' || status=1
    [[ -z $qgis ]] || inside 'scripts/qgis_screenshots.sh build/pictures' || status=1
    exit "$status"
fi

command -v debootstrap >/dev/null || scripts/deps.sh soak || left_out "debootstrap cannot be installed"
unshare --mount --pid --fork true 2>/dev/null || left_out "this system allows no namespaces"
archive=$(scripts/debian_mirror.sh)
if [[ ! -e $root ]]; then
    [[ -n $archive ]] || left_out "the apt sources of this system name no mirror of Debian"
    found=$(mktemp)
    trap 'rm -f "$found"' EXIT
    /usr/lib/apt/apt-helper download-file "${archive%/}/dists/$suite/InRelease" "$found" >/dev/null 2>&1 ||
        left_out "the mirror does not answer, or has no suite $suite"
    mkdir -p "$place"
fi
cargo fetch --locked --quiet
# When this script ends, in whatever way, everything in the namespace ends too.
CFA_IN_NAMESPACE=$place archive=$archive setpriv --pdeathsig KILL \
    unshare --mount --propagation private --pid --fork --kill-child scripts/test_gdal_suite.sh "$suite" "$qgis" &
namespace=$!
trap 'kill -KILL "$namespace" 2>/dev/null || true; rm -f "${found-}"' EXIT
status=0
wait "$namespace" || status=$?
echo "gdal-$suite: GDAL $(cat "$place/version" 2>/dev/null || echo 'not set up'), $(date +%F): $( ((status)) && echo FAILED || echo ok)"
exit "$status"
