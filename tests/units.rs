//! Units compared with libudunits2: with its recorded answers (`tests/data/units.tsv`), and live if `cc` and
//! libudunits2 are installed.

use cfa::internals::canonical::units::{Converter, Unit, UnitErrorKind};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

/// The sample points of the oracle.
const POINTS: [f64; 4] = [-1.5, 0.0, 2.75, 300.0];

/// The result of comparing many pairs.
#[derive(Default, Debug)]
struct Tally {
    converted: usize,
    refused: usize,
    /// Texts that are refused on purpose although libudunits2 reads them.
    stricter: usize,
    /// Equal units for which libudunits2 returns only nearly the same value.
    same: usize,
    /// The largest relative difference of other conversions.
    largest: f64,
}

/// A hexadecimal floating-point number as C prints it with `%a`.
fn hex_float(text: &str) -> f64 {
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let value = match text {
        "inf" => f64::INFINITY,
        "nan" => f64::NAN,
        _ => {
            let (mantissa, exponent) = text.strip_prefix("0x").unwrap().split_once('p').unwrap();
            let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
            let digits = u64::from_str_radix(&format!("{whole}{fraction}"), 16).unwrap() as f64;
            let exponent: i32 = exponent.parse().unwrap();
            // In two steps, so that subnormal numbers come out exact.
            digits
                * 2f64.powi(-4 * fraction.len() as i32)
                * 2f64.powi(exponent / 2)
                * 2f64.powi(exponent - exponent / 2)
        }
    };
    if negative {
        -value
    } else {
        value
    }
}

/// What the texts that only newer versions of libudunits2 read contain.
fn is_extension(text: &str) -> bool {
    text.contains(['⁰', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹', '⁺', '⁻'])
}

fn is_logarithmic(text: &str) -> bool {
    ["(re", "(RE", "dB", "B_"].iter().any(|sign| text.contains(sign))
}

impl Tally {
    /// Compares with one answer of the oracle; a difference is a message.
    fn check(&mut self, from_text: &str, to_text: &str, answer: &str) -> Result<(), String> {
        let pair = format!("{from_text:?} to {to_text:?}: libudunits2 says {answer}");
        let (from, to) = (Unit::parse(from_text), Unit::parse(to_text));
        for error in [&from, &to].into_iter().filter_map(|unit| unit.as_ref().err()) {
            if matches!(error.kind(), UnitErrorKind::Refused | UnitErrorKind::Limit) {
                self.stricter += 1;
                return Ok(());
            }
        }
        let mut words = answer.split(' ');
        match (words.next().unwrap_or(""), from, to) {
            ("F", Err(_), _) | ("T", Ok(_), Err(_)) => self.refused += 1,
            ("F", Ok(_), _) if is_extension(from_text) => self.stricter += 1,
            ("T", Ok(_), Ok(_)) if is_extension(to_text) => self.stricter += 1,
            ("N", Ok(from), Ok(to)) => match from.converter_to(&to) {
                Err(_) => self.refused += 1,
                Ok(converter) => return Err(format!("{pair}, not {converter:?}")),
            },
            ("C", Ok(from), Ok(to)) => match from.converter_to(&to) {
                Ok(converter) => {
                    self.converted += 1;
                    self.same += usize::from(converter == Converter::Identity);
                    let answers: Vec<&str> = words.collect();
                    if answers.len() != POINTS.len() {
                        return Err(format!("{pair}, which is no answer for every point"));
                    }
                    for (x, expected) in POINTS.into_iter().zip(answers) {
                        let (ours, theirs) = (converter.apply(x), hex_float(expected));
                        if converter == Converter::Identity {
                            // Exact here; libudunits2 converts to the base units and back, which loses digits, or all of
                            // the value if a power and a logarithm are on the way.
                            let near = (ours - theirs).abs() < 1e-11 || is_logarithmic(from_text);
                            if ours != x || !near {
                                return Err(format!("{pair}, not the same unit"));
                            }
                        } else {
                            self.value(&pair, ours, theirs)?;
                        }
                    }
                }
                Err(error) if error.kind() == UnitErrorKind::NeedsCalendar => self.stricter += 1,
                Err(error) => return Err(format!("{pair}, not {error}")),
            },
            (_, from, to) => return Err(format!("{pair}, not {:?}", from.err().or(to.err()))),
        }
        Ok(())
    }

    fn value(&mut self, pair: &str, ours: f64, theirs: f64) -> Result<(), String> {
        if ours == theirs || (ours.is_nan() && theirs.is_nan()) {
            return Ok(());
        }
        let difference = ((ours - theirs) / theirs).abs();
        if difference.is_nan() || difference > 4.0 * f64::EPSILON {
            return Err(format!("{pair}: {ours:e} is not {theirs:e}"));
        }
        self.largest = self.largest.max(difference);
        Ok(())
    }
}

fn unescape(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\t", "\t").replace("\\\\", "\\")
}

#[test]
fn recorded_answers_of_libudunits2_are_met() {
    let golden =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/units.tsv")).unwrap();
    let mut tally = Tally::default();
    let mut wrong = Vec::new();
    for line in golden.lines() {
        let columns: Vec<_> = line.split('\t').collect();
        let [from, to, answer] = columns[..] else { panic!("three columns expected: {line}") };
        wrong.extend(tally.check(&unescape(from), &unescape(to), answer).err());
    }
    println!("{tally:?}");
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
    assert!(tally.converted > 6000 && tally.refused > 3000, "{tally:?}");
}

/// libudunits2 in a process of its own, which may die.
struct Oracle {
    program: std::path::PathBuf,
    process: Option<(Child, BufReader<ChildStdout>)>,
}

impl Oracle {
    /// `None` where `cc` or libudunits2 is not installed.
    fn compile(directory: &std::path::Path) -> Option<Oracle> {
        let program = directory.join("oracle");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/units_oracle.c");
        let mut compiler = Command::new("cc");
        compiler.arg("-o").arg(&program).args([source, "-ludunits2"]).stderr(Stdio::null());
        compiler.status().ok()?.success().then_some(Oracle { program, process: None })
    }

    /// The answer; `None` if libudunits2 dies of the question.
    fn ask(&mut self, from: &str, to: &str) -> Option<String> {
        let (child, answers) = self.process.get_or_insert_with(|| {
            let mut child = Command::new(&self.program)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let answers = BufReader::new(child.stdout.take().unwrap());
            (child, answers)
        });
        let hex = |text: &str| match text {
            "" => "-".to_owned(),
            _ => text.bytes().map(|byte| format!("{byte:02x}")).collect(),
        };
        let mut answer = String::new();
        let asked = writeln!(child.stdin.as_mut().unwrap(), "{} {}", hex(from), hex(to));
        if asked.is_err() || answers.read_line(&mut answer).unwrap_or(0) == 0 {
            let (mut child, _) = self.process.take().unwrap();
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        Some(answer.trim_end().to_owned())
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        if let Some((mut child, _)) = self.process.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A small seeded generator (xorshift), so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

const PIECES: &[&str] = &[
    "m", "kg", "s", "K", "rad", "degC", "degF", "Pa", "hour", "day", "year", "ft", "dBm", "kilo", "milli",
    "u", "da", "%", "'", "\"", "°", "µ", "lg(re ", "ln(re 1 ", "(", ")", ")", "(", " ", " ", " ", ".", "*",
    "/", " per ", "-", "·", "^", "**", "2", "-1", "3", "0", "1e3", ".5", "1.", "²", "³", "@", " since ",
    " after ", " ref ", " from ", "5", "273.15", "T", ":", "\n", "\t", "e", "E", "x", "Z", "\u{a0}", "_",
    "arc", "degree", "Ā", "?", "+", "49", "255", "1000",
];

const WORDS: &[&str] = &[
    "m",
    "km",
    "s",
    "hour",
    "days",
    "kg",
    "g",
    "K",
    "degC",
    "°F",
    "hPa",
    "mbar",
    "W",
    "J",
    "N",
    "rad",
    "degree",
    "mol",
    "ppm",
    "%",
    "lg(re 1 mW)",
    "dBZ",
    "(ln(re 1 Pa))",
    "ft",
    "mile",
    "US_gallon",
    "acre",
    "Hz",
    "sr",
    "1e3",
    "49",
    "0.3",
    "2",
];

/// Something that is nearly a unit.
fn soup(random: &mut Random) -> String {
    (0..1 + random.below(7)).map(|_| random.pick(PIECES)).collect()
}

/// Something that is most likely a unit.
fn expression(random: &mut Random) -> String {
    let mut text = random.pick(WORDS).to_owned();
    for _ in 0..random.below(4) {
        text += random.pick(&[" ", "/", ".", "*", " per "]);
        text += random.pick(WORDS);
        text += random.pick(&["", "", "2", "-1", "^3", "²"]);
    }
    text + random.pick(&["", "", "", "", " @ 7", "@-0.5"])
}

#[test]
fn libudunits2_gives_the_same_live() {
    let directory = tempfile::tempdir().unwrap();
    let Some(mut oracle) = Oracle::compile(directory.path()) else {
        crate::support::left_out::left_out("udunits", "no cc or no libudunits2: nothing to compare with");
        return;
    };
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut tally = Tally::default();
    let mut wrong = Vec::new();
    let rounds = std::env::var("CFA_UNITS_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(10_000);
    for round in 0..rounds {
        let (from, to) = match round % 4 {
            0 => (
                soup(&mut random),
                random.pick(&["1", "m", "s", "K", "degF", "s-1", "days since 2001-1-1"]).to_owned(),
            ),
            1 => (soup(&mut random), soup(&mut random)),
            2 => (expression(&mut random), expression(&mut random)),
            _ => {
                let unit = expression(&mut random);
                let other = format!("{} ({unit})", random.pick(&["0.3", "1", "1000", "1/7", "49"]));
                (unit, other)
            }
        };
        if let Some(answer) = oracle.ask(&from, &to) {
            wrong.extend(tally.check(&from, &to, &answer).err());
        } else {
            // What crashes libudunits2 is an error or a unit here, never a panic.
            let _ = (Unit::parse(&from), Unit::parse(&to));
        }
    }
    println!("{tally:?}");
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
    assert!(tally.converted > rounds / 20 && tally.refused > rounds / 20, "{tally:?}");
}

/// Seconds since 2001-01-01 of a moment in the mixed calendar of libudunits2.
fn seconds_of(unit: &Unit) -> f64 {
    let epoch = &unit.reference_time().unwrap().epoch;
    let year = if epoch.year == 0 { 1 } else { epoch.year };
    let astronomical = if year < 0 { year + 1 } else { year };
    let (y, m) = if epoch.month > 2 {
        (astronomical, i64::from(epoch.month) - 3)
    } else {
        (astronomical - 1, i64::from(epoch.month) + 9)
    };
    let mut day = 365 * y + y.div_euclid(4) + (153 * m + 2) / 5 + i64::from(epoch.day) - 1;
    let is_gregorian = (astronomical, epoch.month, epoch.day) >= (1582, 10, 15);
    day += if is_gregorian { y.div_euclid(400) - y.div_euclid(100) } else { -2 };
    let origin = 365 * 2000 + 500 + 5 - 20 + 306;
    (day - origin) as f64 * 86400.0
        + f64::from(epoch.hour) * 3600.0
        + f64::from(i32::from(epoch.minute) - epoch.zone_minutes) * 60.0
        + epoch.second
}

#[test]
fn moments_are_those_of_libudunits2() {
    let directory = tempfile::tempdir().unwrap();
    let Some(mut oracle) = Oracle::compile(directory.path()) else {
        crate::support::left_out::left_out("udunits", "no cc or no libudunits2: nothing to compare with");
        return;
    };
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut same, mut stricter) = (0, 0);
    for _ in 0..6000 {
        let mut moment = String::new();
        moment += random
            .pick(&["2001", "1850", "1", "0", "-1", "+20", "1582", "1970", "0001", "-4000", "20", "800"]);
        if random.below(5) > 0 {
            moment += random.pick(&["-1", "-01", "-2", "-12", "-10", "-13", "-00", "06", "1", "12"]);
            moment += random.pick(&["", "-1", "-01", "-31", "-28", "-15", "-32", "-0", "5", "15", "04"]);
        }
        moment += random.pick(&["", "T", " ", "  ", " "]);
        moment += random.pick(&[
            "",
            "0:0",
            "00:00:00",
            "6:30",
            "23:59:60",
            "23:59:59.25",
            "24:00",
            "12",
            "1230",
            "123045",
            "123045.5",
            "630",
            "00:60",
            "-6",
            "6:",
            "1:2:3.",
        ]);
        moment += random.pick(&[
            "", "", " ", " UTC", "Z", " gmt", " +1:00", "+0100", " -6", " 6", " -5:30", " +530", " 24",
            " PST", "x",
        ]);
        let text = format!("{} since {moment}", random.pick(&["s", "days", "hours", "(60 s)"]));
        let answer = oracle.ask(&text, "seconds since 2001-01-01").unwrap();
        match (Unit::parse(&text), answer.strip_prefix("C ")) {
            // libudunits2 reads the first digits of a long year as a packed date and continues from there.
            (Ok(unit), _) if unit.reference_time().is_some_and(|time| time.epoch.year > 9999) => {
                stricter += 1
            }
            (Ok(unit), Some(values)) => {
                // Adding zero seconds leaves the origin.
                let theirs = hex_float(values.split(' ').nth(1).unwrap());
                assert_eq!(seconds_of(&unit), theirs, "{text}");
                same += 1;
            }
            (Err(error), None) => assert_ne!(error.kind(), UnitErrorKind::Limit),
            (Err(error), Some(_)) => {
                assert_eq!(error.kind(), UnitErrorKind::Refused, "{text}: {error}");
                stricter += 1;
            }
            (Ok(unit), None) => {
                // A number with a point is an origin in seconds, not a moment; a zone may follow a date at once.
                let number = answer == "N" && unit.reference_time().is_none();
                let zoned =
                    !moment.contains(':') && [" UTC", " gmt", "Z"].iter().any(|z| moment.ends_with(z));
                assert!(number || zoned, "libudunits2 refuses {text:?}");
            }
        }
    }
    println!("{same} moments the same, {stricter} refused that libudunits2 reads as another moment");
    assert!(same > 1000);
}

#[test]
fn many_threads_parse_at_once() {
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let metre = Unit::parse("m").unwrap();
                for _ in 0..200 {
                    let foot = Unit::parse("international_feet").unwrap();
                    assert!(matches!(foot.converter_to(&metre).unwrap(), Converter::Linear { .. }));
                }
            });
        }
    });
}
