//! The form of a unit, and products, powers, scales, offsets and logarithms of units.
//!
//! The forms, and the order of the floating-point operations on their factors, are those of libudunits2, so that the
//! factors are equal to the last bit.

use super::error::UnitErrorKind::{Meaningless, Refused};
use super::{ReferenceTime, Unit, UnitError};
use std::sync::Arc;

/// Number of basic units: the seven base units, then the radian, which has no dimension.
pub(super) const BASICS: usize = 8;

/// How many of the basic units have a dimension.
pub(super) const DIMENSIONS: usize = 7;

/// Index of the second among the basic units.
pub(super) const SECOND: usize = 2;

/// The power of each basic unit, in the order of the table.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Product(pub [i16; BASICS]);

/// How the dimensions of two units relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Equal,
    Inverse,
    Different,
}

impl Product {
    /// Returns how the dimensions relate; basic units without dimension are ignored.
    pub fn relation(&self, other: &Product) -> Relation {
        let mut relation = None;
        for (&a, &b) in self.0.iter().zip(&other.0).take(DIMENSIONS) {
            let here = match (a, b) {
                (0, 0) => continue,
                _ if a == b => Relation::Equal,
                _ if i32::from(a) == -i32::from(b) => Relation::Inverse,
                _ => return Relation::Different,
            };
            if *relation.get_or_insert(here) != here {
                return Relation::Different;
            }
        }
        relation.unwrap_or(Relation::Equal)
    }

    pub fn is_dimensionless(&self) -> bool {
        self.0.iter().take(DIMENSIONS).all(|&power| power == 0)
    }
}

/// The forms a unit can have.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Form {
    /// A product of powers of basic units.
    Product(Product),
    /// `scale * (x + offset)` of another unit, which is a product or a logarithm.
    Scaled { scale: f64, offset: f64, of: Unit },
    /// The logarithm to a base of the ratio to a reference.
    Log { base: f64, reference: Unit },
    /// Time since a moment.
    Since { length: Unit, time: ReferenceTime },
}

/// Compares as libudunits2 does when it builds a unit: within ten epsilons.
pub(super) fn almost_equal(x: f64, y: f64) -> bool {
    let difference = if x == 0.0 || y == 0.0 { x - y } else { 1.0 - x / y };
    difference.abs() < 10.0 * f64::EPSILON
}

impl Unit {
    pub(super) fn of(form: Form) -> Unit {
        Unit(Arc::new(form))
    }

    /// Returns the powers of the basic units in this unit.
    pub(super) fn product(&self) -> &Product {
        match &*self.0 {
            Form::Product(product) => product,
            Form::Scaled { of, .. } => of.product(),
            Form::Log { reference, .. } => reference.product(),
            Form::Since { length, .. } => length.product(),
        }
    }

    fn is_dimensionless(&self) -> bool {
        matches!(&*self.0, Form::Log { .. }) || self.product().is_dimensionless()
    }

    /// Returns `scale * (x + offset)` of this unit.
    fn linear(&self, mut scale: f64, mut offset: f64) -> Result<Unit, UnitError> {
        let mut of = self;
        if let Form::Scaled { scale: inner_scale, offset: inner_offset, of: inner } = &*self.0 {
            scale *= inner_scale;
            offset += (inner_scale * inner_offset) / scale;
            of = inner;
        }
        if scale == 0.0 || !scale.is_finite() || !offset.is_finite() {
            return Err(UnitError::new(Refused, "a factor or origin is zero or out of range"));
        }
        if almost_equal(scale, 1.0) && almost_equal(offset, 0.0) {
            return Ok(of.clone());
        }
        Ok(Unit::of(Form::Scaled { scale, offset, of: of.clone() }))
    }

    /// Returns `factor` times this unit.
    pub(super) fn scaled(&self, factor: f64) -> Result<Unit, UnitError> {
        if factor == 1.0 {
            return Ok(self.clone());
        }
        self.linear(factor, 0.0)
    }

    /// Returns this unit counted from `origin`.
    pub(super) fn shifted(&self, origin: f64) -> Result<Unit, UnitError> {
        if matches!(&*self.0, Form::Since { .. }) {
            return Err(UnitError::new(Refused, "a time since a date cannot have a second origin"));
        }
        if origin == 0.0 {
            return Ok(self.clone());
        }
        self.linear(1.0, origin)
    }

    /// Returns the logarithm to `base` of the ratio to this unit.
    pub(super) fn log(&self, base: f64) -> Result<Unit, UnitError> {
        if matches!(&*self.0, Form::Since { .. }) {
            return Err(UnitError::new(
                Refused,
                "a time since a date cannot be the reference of a logarithm",
            ));
        }
        Ok(Unit::of(Form::Log { base, reference: self.clone() }))
    }

    /// Returns the product of two units; origins are dropped.
    pub(super) fn times(&self, other: &Unit) -> Result<Unit, UnitError> {
        match (&*self.0, &*other.0) {
            (Form::Since { length, .. }, _) => length.times(other),
            (Form::Product(a), Form::Product(b)) => {
                let mut product = *a;
                for (power, more) in product.0.iter_mut().zip(b.0) {
                    *power = power.checked_add(more).ok_or_else(power_range)?;
                }
                Ok(Unit::of(Form::Product(product)))
            }
            (Form::Product(_), _) => other.times(self),
            (Form::Scaled { scale, of, .. }, Form::Product(_)) => of.times(other)?.linear(*scale, 0.0),
            (Form::Scaled { scale, of, .. }, Form::Scaled { scale: other_scale, of: other_of, .. }) => {
                of.times(other_of)?.linear(scale * other_scale, 0.0)
            }
            (Form::Scaled { .. }, _) => other.times(self),
            (Form::Log { .. }, _) if !other.is_dimensionless() => Err(log_operation()),
            (Form::Log { .. }, Form::Product(_)) => Ok(self.clone()),
            (Form::Log { .. }, Form::Scaled { scale, .. }) => self.linear(*scale, 0.0),
            (Form::Log { .. }, _) => Err(log_operation()),
        }
    }

    /// Returns this unit divided by another.
    pub(super) fn per(&self, other: &Unit) -> Result<Unit, UnitError> {
        self.times(&other.raised(-1)?)
    }

    /// Returns this unit to an integer power of at most 255.
    pub(super) fn to_power(&self, power: i64) -> Result<Unit, UnitError> {
        match power {
            0 => Ok(Unit::one()),
            1 => Ok(self.clone()),
            -255..=255 => self.raised(power as i16),
            _ => Err(power_range()),
        }
    }

    fn raised(&self, power: i16) -> Result<Unit, UnitError> {
        match &*self.0 {
            Form::Product(product) => {
                let mut product = *product;
                for p in &mut product.0 {
                    *p = p.checked_mul(power).ok_or_else(power_range)?;
                }
                Ok(Unit::of(Form::Product(product)))
            }
            Form::Scaled { scale, of, .. } => of.raised(power)?.linear(scale.powf(f64::from(power)), 0.0),
            Form::Log { .. } => Err(log_operation()),
            Form::Since { length, .. } => length.raised(power),
        }
    }
}

fn power_range() -> UnitError {
    UnitError::new(Refused, "a power is out of range (-255 to 255)")
}

fn log_operation() -> UnitError {
    UnitError::new(Meaningless, "a logarithmic unit can be multiplied by a number only")
}
