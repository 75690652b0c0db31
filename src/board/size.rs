//! The size of a board that can be counted.

use crate::decimal::whole_number;
use crate::{Error, Result};

/// The size n of an n x n board, from 0 to 32.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "usize", into = "usize"))]
pub struct Size(u8);

impl Size {
    /// The largest size, whose 2n - 1 = 63 diagonals fit in a `u64`.
    pub const MAX: usize = 32;

    /// Creates a size.
    ///
    /// # Errors
    /// [`Error::Size`] for n above 32.
    pub fn new(n: usize) -> Result<Self> {
        match u8::try_from(n) {
            Ok(small) if n <= Self::MAX => Ok(Self(small)),
            _ => Err(Error::Size { given: n.to_string(), largest: Self::MAX }),
        }
    }

    /// Returns the number n.
    #[inline]
    #[must_use]
    pub fn get(self) -> usize {
        usize::from(self.0)
    }
}

impl From<Size> for usize {
    fn from(size: Size) -> Self {
        size.get()
    }
}

impl TryFrom<usize> for Size {
    type Error = Error;

    fn try_from(n: usize) -> Result<Self> {
        Self::new(n)
    }
}

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::str::FromStr for Size {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let error = || Error::Size { given: text.to_owned(), largest: Self::MAX };
        Self::new(whole_number(text).ok_or_else(error)?).map_err(|_| error())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_the_numbers_from_0_to_32() {
        for n in 0..=Size::MAX {
            let size = Size::new(n).unwrap();
            assert_eq!((size.get(), size.to_string().parse()), (n, Ok(size)));
        }
        // Cut to its lowest byte, 256 would be 0, and 288 would be 32.
        for n in [33, 34, 255, 256, 288, usize::MAX] {
            assert_eq!(Size::new(n), Err(Error::Size { given: n.to_string(), largest: 32 }));
            assert_eq!(n.to_string().parse::<Size>(), Err(Error::Size { given: n.to_string(), largest: 32 }));
        }
        for text in ["", " 8", "8.0", "-1", "eight", "+8", "08"] {
            assert_eq!(text.parse::<Size>(), Err(Error::Size { given: text.to_owned(), largest: 32 }));
        }
        assert_eq!(format!("{:>4}", Size::new(8).unwrap()), "   8");
    }
}
