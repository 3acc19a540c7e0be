"""The examples of the documentation run as they stand, on the sample of the demonstration."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python tested\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    make = [sys.executable, ROOT / "demo" / "make_sample.py", folder / "build" / "demo"]
    (folder / "build").mkdir()
    subprocess.run(make, check=True)
    return folder


@pytest.mark.parametrize("name", ["README.md", "docs/python.md", "python/README.md"])
def test_examples_run(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = BLOCK.findall((ROOT / name).read_text())
    assert blocks
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, name, "exec"), names)
    if name == "docs/python.md":
        picture = Path("july.png")
        assert picture.stat().st_size > 5_000
        if os.environ.get("UPDATE"):
            shutil.copy(picture, ROOT / "docs" / "python.png")
