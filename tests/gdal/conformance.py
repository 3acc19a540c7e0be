"""Run the conformance cases through the driver; fail unless exactly those fail whose types this GDAL cannot express.

    conformance.py SUITE
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from osgeo import gdal

suite = Path(sys.argv[1])
# Characters are strings to GDAL, without their last dimension.
excused = {"098-d5-char"}
with tempfile.TemporaryDirectory() as folder:
    outcome = Path(folder) / "outcome.json"
    done = subprocess.run([sys.executable, suite / "check.py", "--quiet", "--reader", "gdal", "--json", outcome,
                           suite / "cases"], capture_output=True, text=True)
    if not outcome.exists():
        sys.exit(done.stderr or done.stdout)
    cases = json.loads(outcome.read_text())
failed = {name.split("/")[-1]: case["problems"] for name, case in cases.items() if not case["pass"]}
for name in sorted(set(failed) - excused):
    print(f"FAIL {name}: {failed[name][:2]}")
print(f"conformance through GDAL {gdal.__version__}: {len(cases) - len(failed)} of {len(cases)} cases pass, "
      f"{len(set(failed) & excused)} cannot be expressed: {', '.join(sorted(set(failed) & excused))}")
sys.exit(bool(set(failed) - excused))
