//! Parses tokens to a unit, with the grammar of libudunits2.
//!
//! | rule | is |
//! |---|---|
//! | unit | nothing, or shifted |
//! | shifted | product, or product SHIFT (number or moment) |
//! | product | power, then powers with MULTIPLY, DIVIDE or nothing between them |
//! | power | basic, then an integer or an exponent, or nothing |
//! | basic | identifier, number, `(` shifted `)`, LOG product `)` |

use super::database::Names;
use super::error::UnitErrorKind::{Limit, Refused, Syntax, Unknown};
use super::form::{Form, Relation};
use super::scan::{Scanner, Token};
use super::time::{Clock, Date, Epoch};
use super::{ReferenceTime, Unit, UnitError};

/// The longest text that is parsed.
const MAX_LENGTH: usize = 4096;

/// The deepest nesting of parentheses.
const MAX_DEPTH: usize = 64;

struct Parser<'a> {
    scanner: Scanner<'a>,
    ahead: Option<Token<'a>>,
    depth: usize,
    /// Whether the outermost level ended with an origin.
    has_origin: bool,
    names: Names,
}

/// Parses a text, in which these names may occur.
pub(super) fn parse(text: &str, names: Names) -> Result<Unit, UnitError> {
    let text = text.trim_matches([' ', '\t', '\n', '\r', '\x0c', '\x0b']);
    if text.len() > MAX_LENGTH {
        return Err(UnitError::new(Limit, format!("longer than {MAX_LENGTH} bytes")));
    }
    if text.contains('\0') {
        return Err(syntax());
    }
    let mut parser = Parser { scanner: Scanner::new(text), ahead: None, depth: 0, has_origin: false, names };
    if parser.peek()? == Token::End {
        return Ok(Unit::one());
    }
    let unit = parser.shifted()?;
    match parser.peek()? {
        Token::End => Ok(unit),
        // libudunits2 accepts one closing parenthesis too many after a product.
        Token::Byte(b')') if parser.scanner.at_end() && !parser.has_origin => Ok(unit),
        _ if matches!(&*unit.0, Form::Since { .. }) => Err(UnitError::new(Refused, "text after the date")),
        _ => Err(syntax()),
    }
}

impl<'a> Parser<'a> {
    fn peek(&mut self) -> Result<Token<'a>, UnitError> {
        match self.ahead {
            Some(token) => Ok(token),
            None => self.peek_after(false),
        }
    }

    fn peek_after(&mut self, is_time: bool) -> Result<Token<'a>, UnitError> {
        let token = self.scanner.next(is_time)?;
        self.ahead = Some(token);
        Ok(token)
    }

    fn skip(&mut self) {
        self.ahead = None;
    }

    fn shifted(&mut self) -> Result<Unit, UnitError> {
        let unit = self.product()?;
        if self.peek()? != Token::Shift {
            return Ok(unit);
        }
        self.skip();
        self.has_origin = self.depth == 0;
        match self.peek_after(is_time(&unit))? {
            Token::Real(origin) => {
                self.skip();
                unit.shifted(origin)
            }
            Token::Int(origin) => {
                self.skip();
                unit.shifted(origin as f64)
            }
            Token::Date(date) => {
                self.skip();
                let epoch = self.moment(date)?;
                since(unit, epoch)
            }
            _ => Err(syntax()),
        }
    }

    fn moment(&mut self, date: Date) -> Result<Epoch, UnitError> {
        let mut clock = Clock { hour: 0, minute: 0, second: 0.0 };
        let mut zone_minutes = 0;
        let timed = matches!(self.peek()?, Token::Clock(_));
        if let Token::Clock(given) = self.peek()? {
            self.skip();
            clock = given;
        }
        match self.peek()? {
            Token::Zone(minutes) => {
                self.skip();
                zone_minutes = minutes;
            }
            Token::Id(zone) if ["UTC", "GMT", "Z"].iter().any(|utc| zone.eq_ignore_ascii_case(utc)) => {
                self.skip();
            }
            Token::Id(_) if timed => {
                return Err(UnitError::new(Unknown, "unknown time zone; write UTC or +HH:MM"));
            }
            _ => {}
        }
        let Date { year, month, day } = date;
        let Clock { hour, minute, second } = clock;
        Ok(Epoch { year, month, day, hour, minute, second, zone_minutes })
    }

    fn product(&mut self) -> Result<Unit, UnitError> {
        let mut unit = self.power()?;
        loop {
            match self.peek()? {
                Token::Multiply => {
                    self.skip();
                    unit = unit.times(&self.power()?)?;
                }
                Token::Divide => {
                    self.skip();
                    unit = unit.per(&self.power()?)?;
                }
                Token::Id(_) | Token::Int(_) | Token::Real(_) | Token::Log(_) | Token::Byte(b'(') => {
                    unit = unit.times(&self.power()?)?;
                }
                _ => return Ok(unit),
            }
        }
    }

    fn power(&mut self) -> Result<Unit, UnitError> {
        let unit = self.basic()?;
        match self.peek()? {
            Token::Int(power) | Token::Exponent(power) => {
                self.skip();
                unit.to_power(power)
            }
            _ => Ok(unit),
        }
    }

    fn basic(&mut self) -> Result<Unit, UnitError> {
        let token = self.peek()?;
        self.skip();
        match token {
            Token::Id(id) => self.names.find(id),
            Token::Int(number) => Unit::one().scaled(number as f64),
            Token::Real(number) => Unit::one().scaled(number),
            Token::Byte(b'(') => self.nested(Parser::shifted),
            Token::Log(base) => self.nested(Parser::product)?.log(base),
            _ => Err(syntax()),
        }
    }

    /// Parses what precedes a closing parenthesis.
    fn nested(&mut self, rule: fn(&mut Self) -> Result<Unit, UnitError>) -> Result<Unit, UnitError> {
        if self.depth == MAX_DEPTH {
            return Err(UnitError::new(Limit, format!("more than {MAX_DEPTH} nested parentheses")));
        }
        self.depth += 1;
        let unit = rule(self)?;
        self.depth -= 1;
        if self.peek()? != Token::Byte(b')') {
            return Err(syntax());
        }
        self.skip();
        Ok(unit)
    }
}

/// Returns whether an origin of this unit is a date: it is convertible to the second.
fn is_time(unit: &Unit) -> bool {
    !matches!(&*unit.0, Form::Since { .. })
        && unit.product().relation(second().product()) != Relation::Different
}

fn second() -> Unit {
    let mut product = super::form::Product::default();
    product.0[super::form::SECOND] = 1;
    Unit::of(Form::Product(product))
}

/// Returns the time since a moment.
fn since(length: Unit, epoch: Epoch) -> Result<Unit, UnitError> {
    let is_length = length.product().relation(second().product()) == Relation::Equal;
    let unit_seconds = match &*length.0 {
        Form::Product(_) if is_length => 1.0,
        Form::Scaled { scale, offset: 0.0, of } if is_length && matches!(&*of.0, Form::Product(_)) => *scale,
        _ => return Err(UnitError::new(Refused, "only a length of time can be counted since a date")),
    };
    Ok(Unit::of(Form::Since { length, time: ReferenceTime { unit_seconds, epoch } }))
}

fn syntax() -> UnitError {
    UnitError::new(Syntax, "not a unit; the syntax is that of udunits2")
}
