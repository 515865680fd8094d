"""More calls of Rust by chapters of its reference, marked as those of `rust_calls`.

`//^` names what a declaration implements. What a trait gives types without a name of their own is
called as the method of the trait.
"""

from __future__ import annotations

from typing import Final

CASES: Final = {
    "scopes: a pattern of a match hides in its arm": """
fn size() -> i32 { 1 } //= size
pub fn run(n: Option<i32>) -> i32 {
    match n {
        Some(size) => size,
        None => size(), //> size
    }
}
""",
    "scopes: a pattern of a loop ends with it": """
fn item() -> i32 { 1 } //= item
pub fn run(all: Vec<i32>) -> i32 {
    for item in all { let _ = item; }
    item() //> item
}
""",
    "scopes: a bound name of an if let": """
fn size() -> i32 { 1 } //= size
pub fn run(n: Option<i32>) -> i32 {
    if let Some(size) = n { size } else { size() } //> size
}
""",
    "scopes: let else": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub fn run(n: Option<A>) -> i32 {
    let Some(a) = n else { return 0 };
    a.f() //> f
}
""",
    "scopes: a function in a closure": """
fn f() -> i32 { 1 }
pub fn run() -> i32 {
    let g = || {
        fn f() -> i32 { 2 } //= inner
        f() //> inner
    };
    g() + f()
}
""",
    "scopes: a function in a function sees no variables": """
fn f() -> i32 { 1 } //= f
pub fn run(n: i32) -> i32 {
    fn help() -> i32 { f() } //= help //> f
    help() + n //> help
}
""",
    "scopes: a module in a function": """
pub fn run() -> i32 {
    mod inner { pub fn f() -> i32 { 1 } } //= f
    inner::f() //> f
}
""",
    "scopes: a type and a function of one name": """
#[allow(non_camel_case_types)]
pub struct size { pub n: i32 }
pub fn size() -> i32 { 1 } //= size
pub fn run(x: size) -> i32 { size() + x.n } //> size
""",
    "names: a name as it is": """
fn r#match() -> i32 { 1 } //= match
pub fn run() -> i32 { r#match() } //> match
""",
    "paths: super of super": """
fn f() -> i32 { 1 } //= f
pub mod a { pub mod b { pub fn run() -> i32 { super::super::f() } } } //> f
""",
    "paths: a sibling module": """
mod a { pub fn f() -> i32 { 1 } } //= f
pub mod b { use super::a; pub fn run() -> i32 { a::f() } } //> f
""",
    "paths: an associated function of a type's alias in its block": """
pub struct A;
impl A {
    fn make() -> Self { A } //= make
    fn f(&self) -> i32 { 1 } //= f
    pub fn run() -> i32 { Self::make().f() } //> make f
}
""",
    "paths: a method by the path of its type": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub fn run(a: &A) -> i32 { A::f(a) } //> f
""",
    "paths: a method by the path of its trait": """
pub trait T { fn f(&self) -> i32; } //= f
pub struct A;
impl T for A { fn f(&self) -> i32 { 1 } }
pub fn run<X: T>(x: &X) -> i32 { T::f(x) } //> f
""",
    "paths: the function of a trait that a type implements": """
pub trait T { fn f() -> i32; }
pub struct A; pub struct B;
impl T for A { fn f() -> i32 { 1 } } //= a
impl T for B { fn f() -> i32 { 2 } }
pub fn run() -> i32 { A::f() } //> a
""",
    "paths: a qualified path of a type": """
pub trait T { fn f() -> i32; }
pub struct A; pub struct B;
impl T for A { fn f() -> i32 { 1 } } //= a
impl T for B { fn f() -> i32 { 2 } } //= b
pub fn run() -> i32 { <A as T>::f() + <B>::f() } //> a b
""",
    "paths: arguments of types in a path": """
pub struct A<T>(T);
impl<T> A<T> { fn make(t: T) -> A<T> { A(t) } fn f(&self) -> i32 { 1 } } //= make f
pub fn run() -> i32 { A::<i32>::make(1).f() } //> make f
""",
    "uses: an enum's variants by a glob": """
pub enum E { One(i32), Two } //= One
use E::*;
pub fn run() -> E { One(1) } //> One
""",
    "uses: a trait without a name": """
mod a {
    pub trait T { fn f(&self) -> i32 { 1 } } //= f
    impl T for i32 {}
}
use a::T as _;
pub fn run() -> i32 { 1i32.f() } //> f
""",
    "uses: self in a list": """
pub mod b { pub mod a { pub fn f() -> i32 { 1 } pub fn g() -> i32 { 2 } } } //= f g
use b::a::{self, g};
pub fn run() -> i32 { a::f() + g() } //> f g
""",
    "uses: nested lists": """
pub mod a { pub mod b { pub fn f() -> i32 { 1 } } pub mod c { pub fn f() -> i32 { 2 } } } //= f
use crate::{a::{b::f, c::f as g}};
pub fn run() -> i32 { f() + g() } //> f f
""",
    "uses: a chain of what is public again": """
mod a { pub fn f() -> i32 { 1 } } //= f
mod b { pub use crate::a::f as g; }
mod c { pub use crate::b::g as h; }
pub fn run() -> i32 { c::h() } //> f
""",
    "uses: a use in a block ends with it": """
mod a { pub fn f() -> i32 { 2 } } //= inner
fn f() -> i32 { 1 } //= outer
pub fn run() -> i32 {
    let one = { use a::f; f() }; //> inner
    one + f() //> outer
}
""",
    "functions: a constant one": """
const fn f() -> usize { 2 } //= f
pub static N: [i32; f()] = [0; f()]; //> f f
""",
    "functions: one that is generic with a bound": """
pub trait T { fn f(&self) -> i32; } //= f
fn call<X: T>(x: X) -> i32 { x.f() } //= call //> f
impl T for i32 { fn f(&self) -> i32 { *self } }
pub fn run() -> i32 { call(1) } //> call
""",
    "functions: an async one": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
async fn make() -> A { A } //= make
pub async fn run() -> i32 { make().await.f() } //> make f
""",
    "functions: one of C": """
extern "C" { fn abs(n: i32) -> i32; } //= abs
pub fn run() -> i32 { unsafe { abs(1) } } //> abs
""",
    "functions: a parameter that is a pattern": """
pub struct A; pub struct B;
impl A { fn f(&self) -> i32 { 1 } } //= a
impl B { fn f(&self) -> i32 { 2 } } //= b
pub fn run((x, y): (A, B)) -> i32 { x.f() + y.f() } //> a b
""",
    "functions: a pointer": """
fn f() -> i32 { 1 } //= f
pub fn run() -> i32 {
    let g: fn() -> i32 = f;
    g() //> f
}
""",
    "functions: a closure that is called": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub fn run() -> i32 {
    let make = || A;
    make().f() //> f
}
""",
    "closures: a type that is written": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub fn run(a: A) -> i32 {
    let g = |x: &A| x.f(); //> f
    g(&a)
}
""",
    "closures: a type from what takes it": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
fn with(g: impl Fn(&A) -> i32) -> i32 { g(&A) } //= with
pub fn run() -> i32 {
    with(|x| x.f()) //> with f
}
""",
    "closures: a type from a bound of what takes it": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
fn with<G>(g: G) -> i32 where G: FnOnce(A) -> i32 { g(A) } //= with
pub fn run() -> i32 {
    with(|x| x.f()) //> with f
}
""",
    "closures: moved": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub fn run(a: A) -> impl Fn() -> i32 {
    move || a.f() //> f
}
""",
    "closures: one that is boxed": """
fn f() -> i32 { 1 } //= f
pub fn run() -> Box<dyn Fn() -> i32> {
    Box::new(|| f()) //> f
}
""",
    "structs: fields are set from another one": """
#[derive(Default)]
pub struct A { n: i32, m: i32 }
fn base() -> A { A { n: 1, m: 2 } } //= base
pub fn run() -> A { A { n: 2, ..base() } } //> base
""",
    "structs: a field of a tuple": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub struct Two(i32, A);
pub fn run(t: Two) -> i32 { t.1.f() } //> f
""",
    "structs: two blocks": """
pub struct A;
impl A { fn f(&self) -> i32 { self.g() } } //= f //> g
impl A { fn g(&self) -> i32 { 1 } } //= g
pub fn run(a: A) -> i32 { a.f() } //> f
""",
    "structs: blocks for arguments": """
pub struct A<T>(T);
impl A<i32> { fn f(&self) -> i32 { 1 } } //= whole
impl A<bool> { fn f(&self) -> i32 { 2 } } //= flag
pub fn run(x: A<i32>, y: A<bool>) -> i32 {
    let n = x.f(); //> whole
    n + y.f() //> flag
}
""",
    "structs: what a constant holds": """
pub struct A;
impl A { const ONE: A = A; fn f(&self) -> i32 { 1 } } //= f
pub static TWO: A = A;
pub fn run() -> i32 {
    A::ONE.f() + TWO.f() //> f f
}
""",
    "enums: a variant with fields": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub enum E { One { a: A }, Two(A) }
pub fn run(e: E) -> i32 {
    match e {
        E::One { a } => a.f(), //> f
        E::Two(b) => b.f(), //> f
    }
}
""",
    "enums: Self in its block": """
pub enum E { One(i32), Two } //= One
impl E { pub fn make() -> Self { Self::One(1) } } //> One
""",
    "enums: a variant as a function": """
pub enum E { One(i32) } //= One
fn make(n: i32) -> i32 { n } //= make
pub fn run() -> Vec<E> { vec![1].into_iter().map(make).map(E::One).collect() }
pub fn more() -> E { E::One(make(1)) } //> One make
""",
    "unions: a method": """
pub union U { n: i32, x: f32 }
impl U { fn f(&self) -> i32 { 1 } } //= f
pub fn run(u: U) -> i32 { u.f() } //> f
""",
    "traits: implementations": """
pub trait T { fn f(&self) -> i32; } //= T f
pub struct A;
impl T for A { //
    fn f(&self) -> i32 { 1 } //^ f
}
pub fn run(a: &A, t: &dyn T) -> i32 { t.f() } //> f
""",
    "traits: a struct implements one": """
pub trait T {} //= T
pub struct A; //^ T
impl T for A {}
pub fn f() -> i32 { 1 } //= f
pub fn run() -> i32 { f() } //> f
""",
    "traits: a trait above": """
pub trait Up { fn f(&self) -> i32 { 1 } } //= Up f
pub trait T: Up { fn g(&self) -> i32 { self.f() } } //^ Up
pub fn run(t: &dyn T) -> i32 { t.f() } //> f
""",
    "traits: two of one method": """
pub trait T { fn f(&self) -> i32; }
pub trait U { fn f(&self) -> i32; }
pub struct A;
impl T for A { fn f(&self) -> i32 { 1 } } //= t
impl U for A { fn f(&self) -> i32 { 2 } } //= u
pub fn run(a: A) -> i32 {
    let n = T::f(&a); //> t
    n + <A as U>::f(&a) //> u
}
""",
    "traits: a provided method calls one that is required": """
pub trait T {
    fn one(&self) -> i32; //= one
    fn two(&self) -> i32 { self.one() + self.one() } //> one one
}
""",
    "traits: a function of Self": """
pub trait T: Sized {
    fn make() -> Self; //= make
    fn two() -> (Self, Self) { (Self::make(), Self::make()) } //> make make
}
""",
    "traits: a type's implementation of a generic trait": """
pub trait Take<X> { fn take(&self, x: X) -> i32; }
pub struct A;
impl Take<i32> for A { fn take(&self, x: i32) -> i32 { x } } //= whole
impl Take<bool> for A { fn take(&self, _: bool) -> i32 { 1 } } //= flag
pub fn run(a: A) -> i32 {
    let n = a.take(1); //> whole
    n + a.take(true) //> flag
}
""",
    "traits: for what implements another": """
pub trait T { fn f(&self) -> i32; } //= f
pub trait U { fn g(&self) -> i32; } //= g
impl<X: T> U for X { fn g(&self) -> i32 { self.f() } } //> f
pub struct A;
impl T for A { fn f(&self) -> i32 { 1 } }
pub fn run(a: A) -> i32 { a.g() } //> g
""",
    "traits: for a slice": """
pub trait Sum { fn total(&self) -> i32; } //= total
impl Sum for [i32] { fn total(&self) -> i32 { 1 } }
pub fn run(all: &[i32]) -> i32 { all.total() } //> total
""",
    "traits: for text": """
pub trait Shout { fn shout(&self) -> String; }
impl Shout for str { fn shout(&self) -> String { self.to_uppercase() } } //= shout
pub fn run() -> String { "a".shout() } //> shout
""",
    "traits: for a tuple": """
pub trait Sum { fn total(&self) -> i32; } //= total
impl Sum for (i32, i32) { fn total(&self) -> i32 { self.0 } }
pub fn run() -> i32 { (1, 2).total() } //> total
""",
    "traits: for a function": """
pub trait Call { fn go(&self) -> i32; } //= go
impl<F: Fn() -> i32> Call for F { fn go(&self) -> i32 { self() } }
fn one() -> i32 { 1 }
pub fn run() -> i32 { one.go() } //> go
""",
    "traits: a method by value comes before one by reference": """
pub trait ByRef { fn f(&self) -> i32; }
pub struct A;
impl A { fn f(self) -> i32 { 1 } } //= own
impl ByRef for A { fn f(&self) -> i32 { 2 } }
pub fn run(a: A) -> i32 { a.f() } //> own
""",
    "traits: dyn in a box": """
pub trait T { fn f(&self) -> i32; } //= f
pub fn run(all: &[Box<dyn T>]) -> i32 {
    let mut n = 0;
    for t in all { n += t.f(); } //> f
    n
}
""",
    "traits: methods of a dyn type": """
pub trait T { fn f(&self) -> i32; }
impl dyn T { fn g(&self) -> i32 { 1 } } //= g
pub fn run(t: &'static dyn T) -> i32 { t.g() } //> g
""",
    "traits: a constant of one": """
pub trait T { const N: A; }
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub fn run<X: T>() -> i32 { X::N.f() } //> f
""",
    "traits: the associated type that is given": """
pub trait T { type Out; fn get(&self) -> Self::Out; } //= get
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub fn run(t: &dyn T<Out = A>) -> i32 { t.get().f() } //> get f
""",
    "traits: the associated type in a bound": """
pub trait T { type Out; fn get(&self) -> Self::Out; } //= get
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub fn run<X>(t: X) -> i32 where X: T<Out = A> { t.get().f() } //> get f
""",
    "operators: the sum of two": """
use std::ops::Add;
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
impl Add for A { type Output = A; fn add(self, _: A) -> A { A } }
pub fn run(a: A, b: A) -> i32 { (a + b).f() } //> f
""",
    "operators: an index": """
use std::ops::Index;
pub struct A; pub struct Row(A);
impl A { fn f(&self) -> i32 { 1 } } //= f
impl Index<usize> for Row { type Output = A; fn index(&self, _: usize) -> &A { &self.0 } }
pub fn run(row: Row) -> i32 { row[0].f() } //> f
""",
    "operators: a reference and a star": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub fn run(a: &&A) -> i32 { (**a).f() + (&a).f() } //> f f
""",
    "operators: a cast": """
pub trait T { fn f(&self) -> i32; } //= f
pub fn run(a: &dyn T) -> i32 { (a as &dyn T).f() } //> f
""",
    "expressions: the value of a block": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub fn run() -> i32 { let a = { let b = A; b }; a.f() } //> f
""",
    "expressions: the value of an if": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub fn run(b: bool) -> i32 {
    let a = if b { A } else { A };
    a.f() //> f
}
""",
    "expressions: the value of a match": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub fn run(n: i32) -> i32 {
    let a = match n { 0 => A, _ => A };
    a.f() //> f
}
""",
    "expressions: the value of a loop": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub fn run() -> i32 {
    let a = loop { break A; };
    a.f() //> f
}
""",
    "expressions: a part of a row": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub fn run(all: [A; 3], some: &[A]) -> i32 { all[0].f() + some[1].f() } //> f f
""",
    "expressions: a range of a row": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub fn run(all: &[A]) -> i32 { all[1..][0].f() } //> f
""",
    "patterns: a name for the whole": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub fn run(a: Option<A>) -> i32 {
    match &a { Some(x @ A) => x.f(), None => 0 } //> f
}
""",
    "patterns: parts of a row": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub fn run(all: &[A]) -> i32 {
    match all { [first, ..] => first.f(), [] => 0 } //> f
}
""",
    "patterns: fields with other names": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub struct B { a: A, n: i32 }
pub fn run(b: B) -> i32 {
    let B { a: x, .. } = b;
    x.f() //> f
}
""",
    "patterns: a condition of an arm": """
fn test(n: i32) -> bool { n > 1 } //= test
pub fn run(n: i32) -> i32 {
    match n {
        x if test(x) => 1, //> test
        _ => 2,
    }
}
""",
    "options: what is inside": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
fn find() -> Option<A> { None } //= find
pub fn run() -> i32 { find().unwrap().f() } //> find f
""",
    "options: a chain": """
pub struct A; pub struct B;
impl A { fn b(&self) -> Option<B> { None } } //= b
impl B { fn f(&self) -> i32 { 1 } } //= f
pub fn run(a: Option<A>) -> i32 {
    a.and_then(|x| x.b()) //> b
        .map(|y| y.f()) //> f
        .unwrap_or(0)
}
""",
    "iterators: filter and find": """
pub struct A;
impl A { fn ok(&self) -> bool { true } fn f(&self) -> i32 { 1 } } //= ok f
pub fn run(all: Vec<A>) -> i32 {
    let one = all.iter().filter(|a| a.ok()).next(); //> ok
    one.unwrap().f() //> f
}
""",
    "iterators: numbers beside elements": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub fn run(all: &[A]) -> i32 {
    let mut n = 0;
    for (_, a) in all.iter().enumerate() { n += a.f(); } //> f
    n
}
""",
    "iterators: values of a map": """
use std::collections::HashMap;
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub fn run(all: &HashMap<String, A>) -> i32 {
    let mut n = all["a"].f(); //> f
    for (_, a) in all { n += a.f(); } //> f
    for a in all.values() { n += a.f(); } //> f
    n
}
""",
    "pointers: shared and counted": """
use std::cell::RefCell;
use std::rc::Rc;
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub fn run(a: Rc<A>, b: Rc<RefCell<A>>) -> i32 {
    let n = a.f(); //> f
    n + b.borrow().f() //> f
}
""",
    "pointers: locked": """
use std::sync::{Arc, Mutex};
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub fn run(a: Arc<Mutex<A>>) -> i32 { a.lock().unwrap().f() } //> f
""",
    "macros: one that is declared": """
macro_rules! twice { ($x:expr) => { $x + $x }; } //= twice
fn f() -> i32 { 1 } //= f
pub fn run() -> i32 { twice!(f()) } //> twice f
""",
    "macros: calls in texts": """
fn f() -> i32 { 1 } //= f
pub fn run() -> String { format!("{}", f()) } //> f
""",
    "macros: an assertion": """
fn f() -> i32 { 1 } //= f
pub fn run() { assert_eq!(f(), 1, "no {}", f()); } //> f f
""",
    "conditions: one of several systems": """
#[cfg(unix)]
fn f() -> i32 { 1 } //= unix
#[cfg(not(any(unix, windows)))]
fn g() -> i32 { 2 }
fn h() -> i32 { 3 } //= h
pub fn run() -> i32 { f() + h() } //> unix h
""",
    "conditions: a module of tests": """
fn f() -> i32 { 1 } //= f
#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn works() { assert!(f() == 1); } //> f
}
""",
    "results: another error": """
pub struct A; pub struct E;
impl A { fn f(&self) -> i32 { 1 } } //= f
fn open() -> Result<A, E> { Ok(A) } //= open
pub fn run() -> Result<i32, E> {
    let n = open()?.f(); //> open f
    let a = open().map_err(|_| E)?; //> open
    Ok(n + a.f()) //> f
}
""",
    "patterns: a part that is left out": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub struct Two(i32, A);
pub fn run(x: (i32, A), y: Two, (_, z): (i32, A)) -> i32 {
    let (_, a) = x;
    let Two(_, b) = y;
    a.f() + b.f() + z.f() //> f f f
}
""",
    "patterns: parts from the end": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub fn run(x: (i32, i32, A), y: (A, i32)) -> i32 {
    let (.., a) = x;
    let (b, ..) = y;
    a.f() + b.f() //> f f
}
""",
    "patterns: elements and the rest of a row": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub fn run(all: &[A]) -> i32 {
    match all {
        [_, x, rest @ ..] => x.f() + rest[0].f(), //> f f
        [.., last] => last.f(), //> f
        [] => 0,
    }
}
""",
    "closures: a parameter that is left out": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
fn with(g: impl Fn(i32, &A) -> i32) -> i32 { g(1, &A) } //= with
pub fn run() -> i32 {
    with(|_, x| x.f()) //> with f
}
""",
    "closures: parts of a parameter": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub fn run(all: &[A], numbers: &[i32]) -> i32 {
    all.iter().enumerate().map(|(_, a)| a.f()).sum::<i32>() //> f
        + all.iter().zip(numbers).map(|(a, _)| a.f()).sum::<i32>() //> f
}
""",
    "closures: two bounds and two parameters": """
pub struct A; pub struct B;
impl A { fn f(&self) -> i32 { 1 } } //= a
impl B { fn f(&self) -> i32 { 2 } } //= b
fn with<G: Fn(&A) -> i32, H>(g: G, h: H) -> i32 where H: Fn(&B) -> i32 { g(&A) + h(&B) } //= with
pub fn run() -> i32 {
    with(|x| x.f(), |y| y.f()) //> with a b
}
""",
    "expressions: the value of an inner loop": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub fn run(b: bool) -> i32 {
    let a = 'all: loop {
        loop { if b { break; } break 'all A; }
        while b { break; }
        if b { break A; }
    };
    a.f() //> f
}
""",
}

# cases that differ from the compiler so far, and why
GAPS: Final = {
    "scopes: a module in a function": "modules in functions are not entered",
    "scopes: a type and a function of one name": "a type with fields is called",
    "functions: a pointer": "a pointer to a function with its type is not followed",
    "structs: blocks for arguments": "type arguments choose no block",
    "traits: two of one method": "an argument of a trait's path chooses no implementation",
    "traits: a type's implementation of a generic trait": "arguments choose no implementation",
    "traits: for what implements another": "a bound of a block for all types is not read",
    "traits: the associated type that is given": "associated types of bounds are not read",
    "traits: the associated type in a bound": "associated types of bounds are not read",
}
