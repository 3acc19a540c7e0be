#!/usr/bin/python3
"""Writes tests/data/calendars.tsv: dates and time conversions as python cftime computes them.

Lines: "date  calendar  days  year  month  day" (days since 2000-01-01), "value  calendar  units  value  date and time"
and "shift  calendar  units  value  other units  value there". Random dates come from a fixed seed. Needs cftime.
"""
import pathlib
import random
import warnings

import cftime

warnings.simplefilter("ignore")
CALENDARS = ["standard", "proleptic_gregorian", "julian", "noleap", "all_leap", "360_day"]
FIXED = [-730488, -730487, -730486, -730120, -152671, -152670, -152660, -152655, -36524, -1, 0, 1, 58, 59, 60, 365, 366, 1460,
         36524, 146097]
EPOCHS = ["2000-01-01", "1582-10-01", "1582-10-15 06:00:00", "0001-01-01", "1900-03-01 12:30:15", "-0004-02-28", "1999-12-30 23:59:59.5",
          "2001-01-01 00:00:00 +05:30", "1850-01-01 00:00:00"]
# Years of more than four digits, and all ways to name the zone of Greenwich.
FORMS = ["10000-01-01", "12345-06-07 01:02:03 +05:30", "+20000-02-28T18:00:00", "-10000-12-30 UTC", "-4712-01-01 12:00 GMT", "100000-1-1 0:0:0Z",
         "2000-01-01Z", "2000-01-01 Z", "2000-01-01UTC", "2000-01-01 utc", "2000-01-01T06:00:00 Z", "2000-01-01 06:00 GMT",
         "2000-01-01 06:30:00.5 UTC"]
UNITS = ["days", "hours", "minutes", "seconds", "milliseconds"]
rng = random.Random(20240229)
lines = []


def text(date):
    shown = "%s%04d-%02d-%02d %02d:%02d:%02d" % ("-" if date.year < 0 else "", abs(date.year), date.month, date.day, date.hour,
                                               date.minute, date.second)
    return shown + (f".{date.microsecond:06d}".rstrip("0") if date.microsecond else "")


for calendar in CALENDARS:
    for days in FIXED + [rng.randint(-1_000_000, 1_000_000) for _ in range(60)]:
        date = cftime.num2date(days, "days since 2000-01-01", calendar=calendar)
        lines.append(("date", calendar, days, date.year, date.month, date.day))
    for _ in range(40):
        units = f"{rng.choice(UNITS)} since {rng.choice(EPOCHS)}"
        value = rng.choice([rng.randint(-400_000, 400_000), rng.randint(-4000, 4000) * 0.25])
        date = cftime.num2date(value, units, calendar=calendar)
        lines.append(("value", calendar, units, repr(value), text(date)))
        other = f"{rng.choice(UNITS)} since {rng.choice(EPOCHS)}"
        there = cftime.date2num(date, other, calendar=calendar)
        lines.append(("shift", calendar, units, repr(value), other, repr(float(there))))
for value in (0, 1, 14, 120.5):
    date = cftime.num2date(value, "months since 1990-01-01", calendar="360_day")
    lines.append(("value", "360_day", "months since 1990-01-01", repr(value), text(date)))
for calendar in CALENDARS:
    for epoch in FORMS:
        for value in (0, -1.25, 4_000_000):
            date = cftime.num2date(value, f"days since {epoch}", calendar=calendar)
            lines.append(("value", calendar, f"days since {epoch}", repr(value), text(date)))
        for other in ("hours since 2000-01-01", "days since 9999-12-30 12:00"):
            there = cftime.date2num(cftime.num2date(20.5, f"days since {epoch}", calendar=calendar), other, calendar=calendar)
            lines.append(("shift", calendar, f"days since {epoch}", "20.5", other, repr(float(there))))

out = pathlib.Path(__file__).parent / "data" / "calendars.tsv"
out.write_text("".join("\t".join(map(str, line)) + "\n" for line in lines))
