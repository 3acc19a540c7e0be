#!/usr/bin/env bash
# environment.sh FOLDER REQUIREMENTS: makes a virtual environment of the system's Python with these packages, unless one
# with the same requirements exists. Fails if they cannot be fetched.
set -euo pipefail

folder=$1 requirements=$2
if cmp --silent "$requirements" "$folder/requirements.txt"; then
    exit 0
fi
rm -rf "$folder"
/usr/bin/python3 -m venv "$folder"
"$folder/bin/pip" install --quiet --disable-pip-version-check --retries 1 --requirement "$requirements"
cp "$requirements" "$folder/requirements.txt"
