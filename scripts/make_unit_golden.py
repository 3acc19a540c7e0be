#!/usr/bin/env python3
"""Writes tests/data/units.tsv: what libudunits2 says about every name of its database and about random expressions.

Usage: scripts/make_unit_golden.py > tests/data/units.tsv

Compiles tests/units_oracle.c (needs libudunits2-dev). A line is FROM, TO and the answer of the oracle, separated by
tabs; backslash, tab and line end in a text are written \\\\, \\t and \\n. The random part is seeded: the file only
changes with the database.
"""

import pathlib
import random
import subprocess
import sys
import tempfile

from make_unit_table import files, names_of

HERE = pathlib.Path(__file__).resolve().parent
TARGETS = (
    "1 m kg s A K mol cd rad sr Hz N Pa J W C V F ohm S Wb T H lm lx kat Gy m2 m3 m-1 m/s m/s2 kg/m kg/s Pa.s 1/(Pa.s) m2/s m3/s "
    "J/kg cd/m2 A/m K.m2/W kg/(Pa.s.m2) mol/m2 C/kg mol-1 J/m2 W/m2 N/m3 N/m s-2 m2.K/(s.kg) kg/m3 J/m3 kg/m2 mol/m3"
).split()
ODD = [
    "", " ", "-", ")", "m)", "(m", "()", "m^", "m^^2", "m**2", "m***2", "m^2^3", "m^2s", "m2s", "m2.5", "m-2", "m--2", "m- 2",
    "m.s", "m·s", "m*s", "m * s", "m . s", "m s-1", "m/s/s", "m per s", "mPERs", "m PER s", "m pers", "m/ s", "m^-2", "m^+2",
    "m²", "m³", "m¹", "0", "0 m", "m0", "m^0", "m255", "m256", "m-255", "m-256", "2^8", "2 3", "23", "1e3 m", "1.e3m", ".5 m",
    "1e999", "1e-999", "foo", "kilo", "k", "kilokilometer", "kkm", "kilokm", "kmkm", "dam", "dm", "µm", "μm", "um", "°", "°C",
    "°F", "'", '"', "%", "%%", "''", "m'", "K @ 273.15", "K@273.15", "K after 5", "K from 5", "K ref 5", "K since 5", "K @ -5",
    "K @ 5T", "(K @ 5 ) m", "(K @ 5.5 ) m", "K @ 5 @ 6", "(K @ 5) @ 6", "K @ 1e3", "K @ 2000-01-01", "m @", "@ 5", "K @ m",
    "K @ 123456789", "degC @ 5", "2 degC", "degC2", "degC/m", "mdegC", "(degF @ 3) 4", "lg(re 1 mW)", "ln(re 1 Pa)", "lb(re 1 V)",
    "log(re 1 V)", "lg (re: 1 mW)", "lg(re:1 mW)", "lg(RE 1 mW)", "LG(re 1 mW)", "0.1 lg(re 1 mW)", "10 lg(re 1e-6 m3)",
    "dBZ", "dBm", "dB", "Np", "lg(re 1 mW)2", "m lg(re 1 mW)", "lg(re 1 mW) m", "lg(re 1 mW) @ 3", "lg(re 1 mW)/2", "1/lg(re 1 mW)",
    "lg(re 0.1 lg(re 1 mW))", "lg(re 1) lg(re 1)", "lg(re 1) (0.1 lg(re 1))", "ln(re 1 s)", "lg(re 1 Hz)", "Hz", "s", "1/s",
    "m\ns", "m \n s", "m\ts", "m\rs", "arc degree", "arc_degree", "arc\u00a0degree", "Å", "\u212b", "Ω", "\u2126", "π", "℃", "℉", "′", "″",
    "Ā", "m?", "m!", "[m]", "{m}", "m,s", "kg m-2 s-1", "W m-2 sr-1", "mol mol-1", "g/kg", "hPa", "mbar", "Pa s", "Pa.s", "mm/day",
    "mm day-1", "kg/m2/s", "J kg-1 K-1", "1e-6 mol/mol", "ppm", "degrees_north", "degrees_east", "degree", "Degree_North", "psu",
    "gpm", "dobson", "dB", "DU", "PVU", "bar", "millibar", "year", "month", "common_year", "leap_year", "Julian_year", "week",
    "sverdrup", "1 1", "1-1", "1--1", "+5 m", "-5 m", "- 5 m", "5e", "5e m", "e", "eV", "m1e3", "after", "since", "per", "per m",
    "reference", "fromage", "afternoon", "percent", "m percent", "lg", "ln", "lg(m)", "((((((m))))))", "(m)(s)", "m(s)", "(m)2",
    "(m s-1)^2", "2(m)", "m 2", "km2", "(km)2", "1000 m", "49 m", "49m", "3 (1/3)", "0.1 m 10", "1e200 1e-200 m",
]


class Oracle:
    """libudunits2 in a process of its own, started again when it dies."""

    def __init__(self):
        self.directory = tempfile.TemporaryDirectory()
        self.program = pathlib.Path(self.directory.name) / "oracle"
        subprocess.run(["cc", "-O1", "-o", self.program, HERE.parent / "tests/units_oracle.c", "-ludunits2"], check=True)
        self.process = None

    def ask(self, source, target):
        if self.process is None:
            self.process = subprocess.Popen(
                [self.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            )
        line = " ".join(text.encode().hex() or "-" for text in (source, target))
        print(line, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline().strip()
        if not answer:
            self.process.wait()
            self.process = None
        return answer or "DIED"


def expression(rng, ids, depth=0):
    """A random expression of the grammar."""
    parts = []
    for i in range(rng.choice([1, 1, 2, 2, 3])):
        if i:
            parts.append(rng.choice([" ", ".", "*", "/", " per ", "·", " / ", "-"]))
        kind = rng.random()
        if kind < 0.12 and depth < 3:
            parts.append("(" + expression(rng, ids, depth + 1) + ")")
        elif kind < 0.25:
            parts.append(rng.choice(["2", "10", "0.1", "1e3", "49", "-3", "1.5e-2", "1000"]))
        else:
            parts.append(rng.choice(["", "", "k", "milli", "M", "u", "deka", "h"]) + rng.choice(ids))
        if rng.random() < 0.35:
            parts.append(rng.choice(["2", "-1", "^2", "**3", "^-2", "²", "³", "-2"]))
    text = "".join(parts)
    if rng.random() < 0.08:
        text += rng.choice([" @ ", "@", " from ", " since "]) + rng.choice(["5", "273.15", "-1e2", "459.67"])
    return text


def written(text):
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")


def main():
    oracle, rng = Oracle(), random.Random(20010101)
    rows = []

    def row(source, target):
        answer = oracle.ask(source, target)
        if answer != "DIED":
            rows.append((source, target, answer))
        return answer

    def row_to_any(source):
        for target in TARGETS:
            if oracle.ask(source, target)[0] != "N":
                return row(source, target)
        return None

    ids, prefixes = [], []
    for root in files(pathlib.Path("/usr/share/xml/udunits")):
        prefixes += [e.text for p in root.findall("prefix") for e in p.findall("name") + p.findall("symbol")]
        for unit in root.findall("unit"):
            aliases = unit.find("aliases")
            for place in [unit] + ([aliases] if aliases is not None else []):
                ids += list(names_of(place)) + [e.text for e in place.findall("symbol")]
    for name in ids:
        if row_to_any(name) is None:
            sys.exit(f"TARGETS has nothing to convert {name!r} to")
        row(name.upper(), name)
        row(name + "x", name)
        if "_" in name:
            row(name.replace("_", "\u00a0"), name)
    for prefix in prefixes:
        for name in ["meter", "m", "gram", "g", "degC", "Pa", "'", "day", "are"]:
            row_to_any(prefix + name)
            row(prefix.upper() + name, name)
            row(rng.choice(prefixes) + prefix + name, name)
    for text in ODD:
        row_to_any(text)
        row(text, rng.choice(TARGETS))
        row(rng.choice(TARGETS), text)
    for _ in range(2500):
        source = expression(rng, ids)
        row_to_any(source)
        row(source, expression(rng, ids))
        other = oracle.ask(source, f"0.3 ({source})")
        if other[0] == "C":
            row(source, f"0.3 ({source})")
    for source, target, answer in rows:
        print(written(source), written(target), answer, sep="\t")


if __name__ == "__main__":
    main()
