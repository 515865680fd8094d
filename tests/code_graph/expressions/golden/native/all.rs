use std::{io::{self, Read as R}, fmt::*};
pub use crate::a::B as C;
extern crate foo as bar;
#[derive(Debug, Clone)]
#[serde(rename = "x")]
pub struct P<'a, T: Trait + 'a = u8> where T: Other<X = Y> { pub a: &'a T, b: Vec<Option<u8>>, }
struct Tup(pub A, B); struct U;
enum E { A, B(X, Y), C { z: Z }, D = 3 }
impl<'a, T> Trait<T> for P<'a, T> where T: X {
  type Out = u8; const K: usize = 3;
  fn new(self: &Self, mut a: A, (b, c): (B, C), &d: &D) -> Result<Self, Box<dyn Error + 'a>> {
    let x: Foo = a.foo::<T>()?.bar; let y = P { a, b: 3, ..Default::default() };
    if let Some(v) = opt && v > 2 { v.go(); } else if x { y } else { z }
    match e { E::A => 1, E::B(p, ref q) if p => { q }, E::C { z, .. } | E::D => z, n @ 1..=3 => n, _ => 0 };
    for (i, it) in xs.iter().enumerate() { it.call(); }
    while let Some(x) = it.next() {}
    let f = |a: A, b| -> R { a + b }; let g = move |x| x.y();
    let Some(w) = o else { return Err(E) };
    vec![1, foo(2), a.b]; println!("{} {}", x.y(), self.z); matches!(a, E::A); std::write!(f, "x");
    x as *const Foo; &mut x; *p; !b; a[0]; (1, x); [a; 3]; (0..n).map(Foo::new); <T as Trait>::f(); Vec::<u8>::new(); async move { a.await }; unsafe { z }; loop { break x; } self.a.0; return Ok(x);
    a = b; a += c; let t = Self::K;
  }
}
trait Tr: Super<u8> + 'static { fn req(&self) -> impl Iterator<Item = u8>; type A: Bound; const N: usize; fn def(&self) {} }
mod m { use super::*; pub fn f() {} }
mod ext;
type Al<T> = HashMap<T, fn(A) -> B>;
static S: &str = "x"; const C: [u8; 3] = [1, 2, 3];
macro_rules! mm { ($x:expr) => { $x.foo() }; }
union Un { a: u8 }
extern "C" { fn cf(x: i32) -> i32; static G: i32; }
fn gen<F>(f: F, x: impl Fn(A) -> B, d: dyn Tr) where F: FnOnce(u8) -> String {}
#[test] fn t() { assert_eq!(a(), b); mm!{ x } }
foo! { bar }
