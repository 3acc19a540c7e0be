//! The dates of http headers (RFC 9110 section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Returns the time, or `None` if the text is not such a date of 1970 or later.
pub(super) fn parse(text: &str) -> Option<SystemTime> {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let [_, day, month, year, clock, "GMT"] = words[..] else { return None };
    let number = |text: &str, most: u64| text.parse::<u64>().ok().filter(|&n| n <= most);
    let (day, year) = (number(day, 31).filter(|&day| day > 0)?, number(year, 9999).filter(|&y| y >= 1970)?);
    let month = 1 + MONTHS.iter().position(|name| *name == month)? as u64;
    let mut clock = clock.split(':');
    let mut next = |most: u64| clock.next().and_then(|text| number(text, most));
    let (hour, minute, second) = (next(23)?, next(59)?, next(60)?);
    // Years that begin in March have the leap day at their end.
    let (year, month) = if month < 3 { (year - 1, month + 9) } else { (year, month - 3) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    let seconds = days.checked_sub(719_468)? * 86_400 + hour * 3600 + minute * 60 + second;
    UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_headers_are_understood() {
        let seconds = |text: &str| parse(text).map(|time| time.duration_since(UNIX_EPOCH).unwrap().as_secs());
        assert_eq!(seconds("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(seconds("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(seconds("Thu, 29 Feb 2024 23:59:59 GMT"), Some(1_709_251_199));
        assert_eq!(seconds("Fri, 31 Dec 9999 23:59:59 GMT"), Some(253_402_300_799));
        for text in
            ["", "yesterday", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Nov 1969 08:49:37 GMT", "a b c"]
        {
            assert_eq!(seconds(text), None, "{text}");
        }
        assert_eq!(seconds("Sun, 99 Nov 1994 08:49:37 GMT"), None);
    }
}
