#!/usr/bin/env bash
# Runs a command on a display of its own (Xvfb), with windows that nobody sees.
#
#   scripts/with_display.sh COMMAND...
set -euo pipefail

work=$(mktemp -d)
display=
finish() {
    [[ -z $display ]] || kill "$display" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT

# The server picks a free number, and prints it.
Xvfb -displayfd 3 -screen 0 1280x800x24 -nolisten tcp 3>"$work/number" 2>/dev/null &
display=$!
for _ in {1..600}; do
    [[ ! -s $work/number ]] || break
    kill -0 "$display" 2>/dev/null || { echo "with_display: Xvfb does not start" >&2 && exit 1; }
    sleep 0.1
done
DISPLAY=:$(<"$work/number") XDG_RUNTIME_DIR=$work QT_QPA_PLATFORM=xcb "$@"
