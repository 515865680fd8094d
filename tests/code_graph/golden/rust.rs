//! Sells things.
use std::collections::{self, btree_map::*, HashMap, HashSet as Set};
use super::*;
pub use crate::shop::Till;
extern crate libc;

/// What is sold.
/// In two lines.
#[derive(Debug, Clone)]
pub struct Order<T: Copy> {
    /// How many.
    pub count: T,
    name: String,
}

pub struct Pair(pub u8, String);
struct Unit;

pub(crate) enum Shape {
    /// Round.
    Circle(f64),
    Rect { width: f64, height: f64 },
    Empty = 3,
}

union Bits {
    whole: u32,
    part: f32,
}

/** Draws. */
pub trait Draw: Base + fmt::Debug {
    type Out;
    const LIMIT: usize;
    fn draw(&self) -> Self::Out;
    fn twice(&mut self, by: u8) {}
}

impl<T: Copy> Order<T> {
    pub const ZERO: i32 = 0;

    #[inline]
    pub async unsafe fn make(count: T, name: String) -> Self {
        let twice = |a| a + a;
        helper(count);
        Order { count, name }
    }
}

impl<T> fmt::Display for Order<T>
where
    T: Copy,
{
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}", self.count)
    }
}

unsafe impl Send for &'static Unit {}

pub mod inner {
    pub(super) fn deep() {}
}
mod elsewhere;

pub const LIMIT: u8 = 1;
static mut STATE: &str = "x";
type Alias<T> = Vec<T>;

macro_rules! twice {
    ($x:expr) => { $x + $x };
}

extern "C" {
    fn foreign(a: c_int) -> c_int;
    static ERRNO: c_int;
}

pub extern "C" fn exported(a: *const u8) -> i32 {
    const HIDDEN: i32 = 1;
    if a.is_null() {
        fn nested() {}
    }
    std::mem::swap(a, b);
    Vec::<u8>::new();
    a.first().second::<u8>();
    log::info!("done");
    1
}
