#!/usr/bin/env bash
# Prints the address of the archive that the packages of this Debian come from, by its own apt sources; nothing
# elsewhere.
set -euo pipefail

own=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
# shellcheck disable=SC2016 # apt replaces these
apt-get indextargets --format '$(ORIGIN) $(CODENAME) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    awk -v own="$own" '$1 == "Debian" && $2 == own { print $3; exit }'
