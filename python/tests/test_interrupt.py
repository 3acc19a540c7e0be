"""KeyboardInterrupt stops whatever the engine does, soon, and is never lost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import samples

#: Sends SIGINT after 0.3 s while `work` runs; prints the seconds and those of work from then to the exception.
PROGRAM = """
import os, signal, sys, threading, time
import libcfa, numpy as np

folder = sys.argv[1]
sent = []
# The shell has its background jobs ignore the signal.
signal.signal(signal.SIGINT, signal.default_int_handler)

def send():
    sent.extend((time.monotonic(), time.process_time()))
    os.kill(os.getpid(), signal.SIGINT)

{before}
threading.Timer(0.3, send).start()
try:
    {work}
    print("finished")
except KeyboardInterrupt:
    print(time.monotonic() - sent[0], time.process_time() - sent[1])
"""

WORK = {
    "read": (
        "v = libcfa.open(folder + '/heavy.nc', CACHE_BYTES=0)['v']",
        "v.read([0] * 3, step=[10, 400, 400])",
    ),
    "read in a loop": (
        "v = libcfa.open(folder + '/heavy.nc')['v']",
        "while True: v[0, 0, 0]",
    ),
    "extract": ("", "libcfa.extract(folder + '/heavy.nc', folder + '/plain.nc')"),
    "extract at the highest level": (
        "",
        "libcfa.extract(folder + '/heavy.nc', folder + '/plain.nc', compression=9)",
    ),
    "extract with large chunks": (
        "",
        "libcfa.extract(folder + '/heavy.nc', folder + '/plain.nc', compression=9, chunks=[100, 400, 400])",
    ),
    "check": ("", "[libcfa.check(folder + '/heavy.nc', fragments=True) for _ in range(10000)]"),
    "create": ("", "libcfa.create(folder + '/out.nc', folder + '/many', new_dimension='n')"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("heavy")
    samples.heavy(folder, 400)
    (folder / "many").mkdir()
    for n in range(30_000):
        (folder / "many" / f"{n}.nc").hardlink_to(folder / "chunk.nc")
    return folder


@pytest.mark.parametrize("what", WORK)
def test_an_interrupt_stops_it_within_a_fifth_of_a_second(folder: Path, what: str) -> None:
    before, work = WORK[what]
    program = PROGRAM.format(before=before, work=work)
    seconds = []
    # Other programs may have the processors at the moment of a signal; what is done after it then tells as much.
    for _ in range(3):
        run = subprocess.run([sys.executable, "-c", program, str(folder)], capture_output=True, text=True, timeout=100)
        assert run.returncode == 0 and "finished" not in run.stdout, run.stdout + run.stderr
        clock, work_done = map(float, run.stdout.split())
        seconds.append((clock, work_done))
        if min(clock, work_done) < 0.2 and clock < 2:
            break
    else:
        pytest.fail(f"clock and work after the signal: {seconds}")
    assert {p.name for p in folder.iterdir()} == {"chunk.nc", "heavy.nc", "many"}


def test_what_a_signal_handler_raises_is_what_a_read_raises(folder: Path) -> None:
    program = """
import signal, sys, libcfa

class Stop(Exception): pass

def handler(*_): raise Stop("on purpose")

signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.3)
v = libcfa.open(sys.argv[1] + '/heavy.nc', CACHE_BYTES=0)['v']
try:
    v.read([0] * 3, step=[10, 400, 400])
except Stop as stop:
    print(stop)
"""
    run = subprocess.run([sys.executable, "-c", program, str(folder)], capture_output=True, text=True, timeout=100)
    assert run.stdout.strip() == "on purpose", run.stdout + run.stderr
