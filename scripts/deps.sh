#!/usr/bin/env bash
# Installs the packages of packages.txt and the Rust components that lint uses; does nothing when all is there.
#
#   scripts/deps.sh [build | demo | wheel | lint | test | bench]    those of one target; test by default
#
# Elsewhere than on Debian and its kin it prints what is needed and leaves the installing to the user.
set -euo pipefail
cd "$(dirname "$0")/.."

# The targets that a target needs.
case ${1:-test} in
build) needed='build' ;;
demo) needed='build|demo' ;;
wheel) needed='wheel' ;;
lint) needed='build|lint' ;;
test) needed='build|demo|lint|test' ;;
bench) needed='build|bench' ;;
soak) needed='build|demo|lint|test|soak' ;;
suite) needed='suite' ;;
suite-qgis) needed='suite|suite-qgis' ;;
*) echo "deps: there is no target '$1'; there are: build, demo, wheel, lint, test, bench, soak, suite, suite-qgis" >&2 && exit 2 ;;
esac
mapfile -t packages < <(awk -v needed="(^|,)($needed)(,|\$)" '!/^#/ && $2 ~ needed { print $1 }' scripts/packages.txt)

if ! command -v cargo >/dev/null; then
    echo "deps: cargo not found; install Rust $(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml) or later from https://rustup.rs" >&2
    exit 1
fi
for component in rustfmt clippy; do
    [[ $needed == *lint* ]] || continue
    if ! cargo "${component/rustfmt/fmt}" --version >/dev/null 2>&1; then
        echo "deps: adding the Rust component $component"
        rustup component add "$component"
    fi
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "deps: not a Debian system; install what corresponds to these Debian packages:"
    printf '    %s\n' "${packages[@]}"
    exit 0
fi

missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
    [[ $status == installed ]] || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
    echo "deps: all ${#packages[@]} packages are installed"
    exit 0
fi

install=(apt-get install --yes --no-install-recommends "${missing[@]}")
as_root=(env DEBIAN_FRONTEND=noninteractive)
((EUID == 0)) || as_root=(sudo "${as_root[@]}")

echo "deps: installing ${missing[*]}"
if ! { "${as_root[@]}" apt-get update --quiet=2 && "${as_root[@]}" "${install[@]}" --quiet=2; }; then
    echo "deps: packages are missing; run as root: apt-get update && ${install[*]}" >&2
    exit 1
fi
