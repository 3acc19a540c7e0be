//! Splits text into tokens as the scanner of libudunits2 does: the longest match wins, and what may match depends on
//! the previous token.

use super::error::UnitErrorKind::Refused;
use super::time::{broken_date, clock_at, digits, packed_date, zone_at, Clock, Date};
use super::UnitError;

/// The kind of the previous token, which decides what may follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    Nothing,
    Id,
    Shift,
    Date,
    Clock,
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'a> {
    Shift,
    Multiply,
    Divide,
    Int(i64),
    Exponent(i64),
    Real(f64),
    Id(&'a str),
    Date(Date),
    Clock(Clock),
    Zone(i32),
    /// The beginning of a logarithm to this base.
    Log(f64),
    /// Any other byte.
    Byte(u8),
    End,
}

/// The rules whose match is a token; the earlier rule wins among matches of the same length.
#[derive(Clone, Copy)]
enum Rule {
    Shift,
    Divide,
    Multiply,
    Exponent,
    Superscript,
    Real,
    Int,
    Log(f64),
    Id,
}

/// The remaining text and the state.
pub(super) struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
    seen: Seen,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str) -> Self {
        Scanner { text: text.as_bytes(), at: 0, seen: Seen::Nothing }
    }

    /// Returns whether all text was consumed.
    pub fn at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    fn take(&mut self, length: usize, seen: Seen) -> &'a [u8] {
        let token = &self.text[self.at..self.at + length];
        self.at += length;
        self.seen = seen;
        token
    }

    /// Returns the next token. `is_time` is true if the unit before an origin is a time, so that its origin is a date.
    pub fn next(&mut self, is_time: bool) -> Result<Token<'a>, UnitError> {
        // libudunits2 skips line ends (and prints them).
        while self.text.get(self.at) == Some(&b'\n') {
            self.at += 1;
        }
        let rest = &self.text[self.at..];
        let Some(&first) = rest.first() else { return Ok(Token::End) };
        match self.seen {
            Seen::Shift => {
                if let Some((date, length)) = broken_date(rest)? {
                    return self.date(date, length);
                }
                let sign = usize::from(matches!(first, b'+' | b'-'));
                let run = digits(&rest[sign..]);
                if run > 0 && run <= 8 && real(rest) == 0 {
                    let number = &rest[..sign + run];
                    if is_time {
                        return self.date(packed_date(number)?, sign + run);
                    }
                    return self.plain_origin(number);
                }
            }
            Seen::Date => {
                if let Some((clock, length)) = clock_at(rest)? {
                    self.take(length + spaces(&rest[length..]), Seen::Clock);
                    return Ok(Token::Clock(clock));
                }
            }
            Seen::Clock => {
                if let Some((zone, length)) = zone_at(rest)? {
                    self.take(length, Seen::Nothing);
                    return Ok(Token::Zone(zone));
                }
            }
            Seen::Nothing | Seen::Id => {}
        }
        self.general(rest, first)
    }

    /// Returns the date token, which includes a "T" or blanks after it.
    fn date(&mut self, date: Date, length: usize) -> Result<Token<'a>, UnitError> {
        let rest = &self.text[self.at + length..];
        if rest.first().is_some_and(u8::is_ascii_digit) {
            return Err(UnitError::new(Refused, "invalid date; dates are YYYY-MM-DD"));
        }
        let tail = if rest.first() == Some(&b'T') { 1 } else { spaces(rest) };
        self.take(length + tail, Seen::Date);
        Ok(Token::Date(date))
    }

    /// Returns a short integer as the origin of a unit that is not a time. libudunits2 first takes it for a date, which
    /// includes a "T" or blanks after it.
    fn plain_origin(&mut self, number: &[u8]) -> Result<Token<'a>, UnitError> {
        let value = parse_real(number)?;
        if !packed_date_shape(number) {
            self.take(number.len(), Seen::Nothing);
            return Ok(Token::Int(value as i64));
        }
        let rest = &self.text[self.at + number.len()..];
        let tail = if rest.first() == Some(&b'T') { 1 } else { spaces(rest) };
        self.take(number.len() + tail, Seen::Nothing);
        Ok(Token::Real(value))
    }

    fn general(&mut self, rest: &'a [u8], first: u8) -> Result<Token<'a>, UnitError> {
        let mut best: Option<(usize, Rule)> = None;
        let mut consider = |length: usize, rule: Rule| {
            if length > best.map_or(0, |(longest, _)| longest) {
                best = Some((length, rule));
            }
        };
        let plain = matches!(self.seen, Seen::Nothing | Seen::Id);
        if plain {
            consider(operator(rest, &["@", "after", "from", "ref", "since"]), Rule::Shift);
            consider(operator(rest, &["per", "/"]), Rule::Divide);
            consider(multiply(rest), Rule::Multiply);
            consider(exponent(rest), Rule::Exponent);
            consider(superscript(rest), Rule::Superscript);
        }
        if matches!(self.seen, Seen::Nothing | Seen::Shift) {
            consider(real(rest), Rule::Real);
        }
        if plain || self.seen == Seen::Shift {
            consider(int(rest), Rule::Int);
        }
        for (name, base) in [("log", 10.0), ("lg", 10.0), ("ln", std::f64::consts::E), ("lb", 2.0)] {
            consider(log_reference(rest, name), Rule::Log(base));
        }
        if matches!(self.seen, Seen::Nothing | Seen::Date | Seen::Clock) {
            consider(identifier(rest), Rule::Id);
        }
        let Some((length, rule)) = best else {
            self.take(1, Seen::Nothing);
            return Ok(Token::Byte(first));
        };
        let seen = self.seen;
        Ok(match rule {
            Rule::Shift => {
                self.take(length, Seen::Shift);
                Token::Shift
            }
            Rule::Divide => {
                self.take(length, Seen::Nothing);
                Token::Divide
            }
            Rule::Multiply => {
                self.take(length, Seen::Nothing);
                Token::Multiply
            }
            Rule::Exponent => {
                let token = self.take(length, seen);
                Token::Exponent(parse_int(
                    &token[token.iter().take_while(|b| matches!(b, b'^' | b'*')).count()..],
                )?)
            }
            Rule::Superscript => Token::Exponent(parse_superscript(self.take(length, Seen::Nothing))?),
            Rule::Real => Token::Real(parse_real(self.take(length, Seen::Nothing))?),
            Rule::Int => Token::Int(parse_int(self.take(length, Seen::Nothing))?),
            Rule::Log(base) => {
                self.take(length, seen);
                Token::Log(base)
            }
            Rule::Id => match std::str::from_utf8(self.take(length, Seen::Id)) {
                Ok(id) => Token::Id(id),
                Err(_) => Token::Byte(first),
            },
        })
    }
}

/// Returns the length of the blanks at the start; a line end is not a blank.
fn spaces(text: &[u8]) -> usize {
    text.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\r' | 0x0c | 0x0b)).count()
}

fn starts_with_word(text: &[u8], word: &str) -> bool {
    text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
}

/// Matches one of the words in any case, with blanks on both sides.
fn operator(text: &[u8], words: &[&str]) -> usize {
    let before = spaces(text);
    match words.iter().find(|word| starts_with_word(&text[before..], word)) {
        Some(word) => before + word.len() + spaces(&text[before + word.len()..]),
        None => 0,
    }
}

fn multiply(text: &[u8]) -> usize {
    match text {
        [b'-' | b'.' | b'*', ..] => 1,
        [0xc2, 0xb7, ..] => 2,
        _ => spaces(text),
    }
}

fn int(text: &[u8]) -> usize {
    let sign = usize::from(matches!(text.first(), Some(b'+' | b'-')));
    match digits(&text[sign..]) {
        0 => 0,
        run => sign + run,
    }
}

fn exponent(text: &[u8]) -> usize {
    let operator = if text.starts_with(b"^") {
        1
    } else if text.starts_with(b"**") {
        2
    } else {
        return 0;
    };
    match int(&text[operator..]) {
        0 => 0,
        length => operator + length,
    }
}

/// Matches a number with a decimal point or an exponent.
fn real(text: &[u8]) -> usize {
    let sign = usize::from(matches!(text.first(), Some(b'+' | b'-')));
    let whole = digits(&text[sign..]);
    let mut end = sign + whole;
    let mut is_real = false;
    if text.get(end) == Some(&b'.') {
        let fraction = digits(&text[end + 1..]);
        if whole + fraction > 0 {
            end += 1 + fraction;
            is_real = true;
        }
    }
    if whole > 0 || is_real {
        if let Some(b'e' | b'E') = text.get(end) {
            let power = int(&text[end + 1..]);
            if power > 0 {
                return end + 1 + power;
            }
        }
    }
    if is_real {
        end
    } else {
        0
    }
}

/// Returns value and length of the superscript digit at the start.
fn superscript_digit(text: &[u8]) -> Option<(i64, usize)> {
    match text {
        [0xc2, 0xb9, ..] => Some((1, 2)),
        [0xc2, low @ (0xb2 | 0xb3), ..] => Some((i64::from(low - 0xb0), 2)),
        [0xe2, 0x81, low @ (0xb0 | 0xb4..=0xb9), ..] => Some((i64::from(low - 0xb0), 3)),
        _ => None,
    }
}

fn is_superscript_sign(text: &[u8]) -> bool {
    matches!(text, [0xe2, 0x81, 0xba | 0xbb, ..])
}

fn superscript(text: &[u8]) -> usize {
    let sign = if is_superscript_sign(text) { 3 } else { 0 };
    let mut end = sign;
    while let Some((_, length)) = superscript_digit(&text[end..]) {
        end += length;
    }
    if end > sign {
        end
    } else {
        0
    }
}

/// Matches `lg(re`, `lg(re: ` and the like.
fn log_reference(text: &[u8], name: &str) -> usize {
    if !text.starts_with(name.as_bytes()) {
        return 0;
    }
    let mut end = name.len() + spaces(&text[name.len()..]);
    if text.get(end) != Some(&b'(') {
        return 0;
    }
    end += 1;
    end += spaces(&text[end..]);
    if !starts_with_word(&text[end..], "re") {
        return 0;
    }
    end += 2;
    if text.get(end) == Some(&b':') && spaces(&text[end + 1..]) > 0 {
        end += 1;
    }
    end + spaces(&text[end..])
}

/// Returns the length of the letter at the start: ASCII, the letters of Latin-1, and all of two or three bytes from
/// U+0200 on.
///
/// Superscripts are not letters here, so that "m⁻¹" is a power, as in libudunits2 after 2.2.28.
fn letter(text: &[u8]) -> usize {
    match text {
        [b'_' | b'a'..=b'z' | b'A'..=b'Z', ..] => 1,
        [0xc2, 0xa0 | 0xad | 0xb0 | 0xb5, ..] => 2,
        [0xc3, 0x80..=0x96 | 0x98..=0xb6 | 0xb8..=0xbf, ..] => 2,
        [0xc8..=0xdf, 0x80..=0xbf, ..] => 2,
        _ if is_superscript_sign(text) || superscript_digit(text).is_some() => 0,
        [0xe0..=0xef, 0x80..=0xbf, 0x80..=0xbf, ..] => 3,
        _ => 0,
    }
}

/// Matches letters and digits that begin and end with a letter, or one of `%`, `'`, `"`.
fn identifier(text: &[u8]) -> usize {
    if let [b'%' | b'\'' | b'"', ..] = text {
        return 1;
    }
    let mut end = letter(text);
    let mut at = end;
    while end > 0 {
        let step = letter(&text[at..]);
        if step > 0 {
            at += step;
            end = at;
        } else if text.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        } else {
            break;
        }
    }
    end
}

/// Returns whether the digits can be year, month and day without separators.
fn packed_date_shape(number: &[u8]) -> bool {
    let run = &number[usize::from(matches!(number.first(), Some(b'+' | b'-')))..];
    let value = |part: &[u8]| part.iter().fold(0, |n, b| n * 10 + u32::from(b - b'0'));
    let fits = |part: &[u8], most: u32| part.len() <= 2 && (1..=most).contains(&value(part));
    (1..=run.len().min(4)).any(|year| {
        let rest = &run[year..];
        rest.is_empty()
            || fits(rest, 12)
            || (1..rest.len().min(3)).any(|month| fits(&rest[..month], 12) && fits(&rest[month..], 31))
    })
}

fn out_of_range() -> UnitError {
    UnitError::new(Refused, "a number is out of range")
}

fn parse_int(text: &[u8]) -> Result<i64, UnitError> {
    std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()).ok_or_else(out_of_range)
}

fn parse_real(text: &[u8]) -> Result<f64, UnitError> {
    let value: f64 =
        std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()).ok_or_else(out_of_range)?;
    let mantissa = text.iter().take_while(|b| !matches!(b, b'e' | b'E'));
    let is_zero = mantissa.filter(|b| b.is_ascii_digit()).all(|b| *b == b'0');
    if value.is_normal() || is_zero {
        Ok(value)
    } else {
        Err(out_of_range())
    }
}

fn parse_superscript(text: &[u8]) -> Result<i64, UnitError> {
    let mut at = if is_superscript_sign(text) { 3 } else { 0 };
    let mut value = 0i64;
    while let Some((digit, length)) = superscript_digit(&text[at..]) {
        value = value.checked_mul(10).and_then(|v| v.checked_add(digit)).ok_or_else(out_of_range)?;
        at += length;
    }
    Ok(if text.starts_with(&[0xe2, 0x81, 0xbb]) { -value } else { value })
}
