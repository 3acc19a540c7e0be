//! Converts values in one unit to values in another.

use super::error::UnitErrorKind::{NeedsCalendar, NotConvertible};
use super::form::{almost_equal, Form, Relation};
use super::{Unit, UnitError};
use std::f64::consts;

/// How values change from one unit to another.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Converter {
    /// Values stay as they are, to the last bit.
    Identity,
    /// `slope * x + intercept`.
    Linear {
        /// The factor.
        slope: f64,
        /// The amount added after scaling.
        intercept: f64,
    },
    /// Includes a logarithm, a power or a reciprocal.
    Other(Steps),
}

/// Conversions that are applied one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Steps(Vec<Step>);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Linear {
        slope: f64,
        intercept: f64,
    },
    Reciprocal,
    /// `factor * ln(x)`.
    Log {
        factor: f64,
    },
    /// `base` to the power of x.
    Exp {
        base: f64,
    },
}

impl Step {
    fn apply(self, x: f64) -> f64 {
        match self {
            Step::Linear { slope, intercept } => linear(slope, intercept, x),
            Step::Reciprocal => 1.0 / x,
            Step::Log { factor } => x.ln() * factor,
            Step::Exp { base } => base.powf(x),
        }
    }
}

/// Computes `slope * x + intercept`. Adding a zero intercept would turn -0 into 0.
fn linear(slope: f64, intercept: f64, x: f64) -> f64 {
    if intercept == 0.0 {
        slope * x
    } else {
        slope * x + intercept
    }
}

impl Steps {
    fn none() -> Steps {
        Steps(Vec::new())
    }

    fn one(step: Step) -> Steps {
        match step {
            Step::Linear { slope, intercept } if slope == 1.0 && intercept == 0.0 => Steps::none(),
            step => Steps(vec![step]),
        }
    }

    /// Applies these steps, then `next`. Like libudunits2, merges only single steps, so that rounding is the same.
    fn then(mut self, next: Steps) -> Steps {
        match (self.0.as_slice(), next.0.as_slice()) {
            (&[Step::Linear { slope: s1, intercept: i1 }], &[Step::Linear { slope: s2, intercept: i2 }]) => {
                Steps::one(Step::Linear { slope: s2 * s1, intercept: s2 * i1 + i2 })
            }
            ([Step::Reciprocal], [Step::Reciprocal]) => Steps::none(),
            _ => {
                self.0.extend(next.0);
                self
            }
        }
    }

    fn to_product(unit: &Unit) -> Steps {
        match &*unit.0 {
            Form::Product(_) | Form::Since { .. } => Steps::none(),
            Form::Scaled { scale, offset, of } => {
                Steps::one(Step::Linear { slope: *scale, intercept: offset * scale })
                    .then(Steps::to_product(of))
            }
            Form::Log { base, reference } => {
                Steps::one(Step::Exp { base: *base }).then(Steps::to_product(reference))
            }
        }
    }

    fn from_product(unit: &Unit) -> Steps {
        match &*unit.0 {
            Form::Product(_) | Form::Since { .. } => Steps::none(),
            Form::Scaled { scale, offset, of } => Steps::from_product(of)
                .then(Steps::one(Step::Linear { slope: 1.0 / scale, intercept: -offset })),
            Form::Log { base, reference } => {
                let factor = match *base {
                    2.0 => consts::LOG2_E,
                    10.0 => consts::LOG10_E,
                    _ => 1.0,
                };
                Steps::from_product(reference).then(Steps::one(Step::Log { factor }))
            }
        }
    }
}

/// Returns whether two units mean the same, however they are written. An angle in radians is a plain number.
fn same_meaning(a: &Unit, b: &Unit) -> bool {
    match (&*a.0, &*b.0) {
        (Form::Product(a), Form::Product(b)) => a.relation(b) == Relation::Equal,
        (
            Form::Scaled { scale: s1, offset: o1, of: of1 },
            Form::Scaled { scale: s2, offset: o2, of: of2 },
        ) => s1 == s2 && o1 == o2 && same_meaning(of1, of2),
        (Form::Log { base: b1, reference: r1 }, Form::Log { base: b2, reference: r2 }) => {
            b1 == b2 && same_meaning(r1, r2)
        }
        _ => false,
    }
}

impl Converter {
    pub(super) fn between(from: &Unit, to: &Unit) -> Result<Converter, UnitError> {
        match (&*from.0, &*to.0) {
            (Form::Since { length: from, time: a }, Form::Since { length: to, time: b }) => {
                if a.epoch != b.epoch {
                    return Err(UnitError::new(NeedsCalendar, "times since different dates need a calendar"));
                }
                return Converter::between(from, to);
            }
            (Form::Since { .. }, _) | (_, Form::Since { .. }) => {
                return Err(UnitError::new(NotConvertible, "a time since a date is not a length of time"));
            }
            _ => {}
        }
        if same_meaning(from, to) {
            return Ok(Converter::Identity);
        }
        let middle = match from.product().relation(to.product()) {
            Relation::Equal => Steps::none(),
            Relation::Inverse => Steps::one(Step::Reciprocal),
            Relation::Different => return Err(UnitError::new(NotConvertible, "not convertible")),
        };
        let steps = Steps::to_product(from).then(middle).then(Steps::from_product(to));
        Ok(match *steps.0 {
            [] => Converter::Identity,
            // libudunits2 considers units within this distance equal when it builds them; a factor such as 1 - 1e-16 is
            // only rounding, and would make integers inexact.
            [Step::Linear { slope, intercept: 0.0 }] if almost_equal(slope, 1.0) => Converter::Identity,
            [Step::Linear { slope, intercept }] => Converter::Linear { slope, intercept },
            _ => Converter::Other(steps),
        })
    }

    /// Converts one value.
    pub fn apply(&self, x: f64) -> f64 {
        match self {
            Converter::Identity => x,
            Converter::Linear { slope, intercept } => linear(*slope, *intercept, x),
            Converter::Other(steps) => steps.0.iter().fold(x, |x, step| step.apply(x)),
        }
    }

    /// Like [`Converter::apply`], but returns NaN for a finite number that becomes infinite on the way: later steps
    /// must not turn it into another finite number, as the reciprocal of an infinity would.
    pub(in crate::canonical) fn apply_finite(&self, x: f64) -> f64 {
        let keep = |x: f64, y: f64| if x.is_finite() && !y.is_finite() { f64::NAN } else { y };
        match self {
            Converter::Other(steps) => steps.0.iter().fold(x, |x, step| keep(x, step.apply(x))),
            plain => keep(x, plain.apply(x)),
        }
    }

    /// Converts values in place.
    pub fn apply_all(&self, values: &mut [f64]) {
        match *self {
            Converter::Identity => {}
            Converter::Linear { slope, intercept: 0.0 } => values.iter_mut().for_each(|x| *x *= slope),
            Converter::Linear { slope, intercept } => {
                values.iter_mut().for_each(|x| *x = slope * *x + intercept)
            }
            Converter::Other(_) => values.iter_mut().for_each(|x| *x = self.apply(*x)),
        }
    }
}
