"""Run the conformance cases over http: a case that has values on this machine must have the same from a server.

    conformance.py SUITE
"""
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from apache import Apache
from served import PRIVATE, PROGRAM, environment

READ = "read {file} {variable} --start={start} --count={count} --stride={stride} --json"


def problems_of(suite, command, cases, folder, only=""):
    """The problems of each case; none where it passes."""
    result = folder / "outcome.json"
    done = subprocess.run([sys.executable, suite / "check.py", "--quiet", "--command", command, "--json", result,
                           "--only", only, cases], capture_output=True, text=True, env=environment(**PRIVATE))
    if not result.exists():
        sys.exit(done.stderr or done.stdout)
    return {name.split("/")[-1]: case["problems"] for name, case in json.loads(result.read_text()).items()}


def reads_local_files(case):
    """Whether its data are in local files by their names: a file on a server may not name those."""
    expected = json.loads((case / "expect.json").read_text())
    return bool(expected.get("install")) and not any("error" in variable for variable in expected["variables"])


def main(suite):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        folder.chmod(0o755)
        server = Apache(folder / "server")
        try:
            cases = server.www / "cases"
            shutil.copytree(suite / "cases", cases)
            subprocess.run(["chmod", "-R", "u+w,a+rX", cases], check=True)
            # The path of a case becomes its address.
            wrapper = folder / "over_http"
            wrapper.write_text('#!/bin/sh\nverb=$1\nfile=$2\nshift 2\n'
                               f'exec "{PROGRAM}" "$verb" "{server.url("cases")}/${{file#"{cases}/"}}" "$@"\n')
            wrapper.chmod(0o755)
            found = problems_of(suite, f"{wrapper} {READ}", cases, folder)
            asked = len(server.requests())
        finally:
            server.stop()
        local = {name for name in found if reads_local_files(cases / name)}
        # That these are refused is the policy.
        opened = {name for name in local if not any("ALLOWED_SOURCES" in problem for problem in found[name])}
        # What fails on this machine too is the business of other tests.
        failed = {name for name in found if found[name]} - local
        wrong = {name for name in failed if not problems_of(suite, f"{PROGRAM} {READ}", cases, folder, name)[name]}
    for name in sorted(wrong | opened):
        print(f"FAIL {name}: {found[name][:2] or 'a file on a server read a local one'}")
    print(f"conformance over http: {len(found) - len(failed | local)} of {len(found)} cases pass, {len(failed - wrong)} fail "
          f"without a server too, {len(local)} name local files and are refused; {asked} requests")
    return bool(wrong or opened or not found)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
