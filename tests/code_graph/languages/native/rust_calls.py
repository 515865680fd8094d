"""Calls of Rust by chapters of its reference: `//= x` marks a declaration, `//> x` a call of it."""

CASES = {
    "names: a variable is seen below its binding": """
fn next() -> i32 { 1 } //= next
pub fn run() -> i32 {
    let next = next(); //> next
    next
}
""",
    "names: a later variable hides nothing above": """
fn parse() -> i32 { 1 } //= parse
pub fn run() -> i32 {
    let one = parse(); //> parse
    let parse = 2;
    one + parse
}
""",
    "names: a closure sees what is above it": """
fn make() -> i32 { 1 } //= make
pub fn run() -> i32 {
    let f = || make(); //> make
    let make = 3;
    f() + make
}
""",
    "names: an inner item is seen in all of its block": """
pub fn run() -> i32 {
    let found = inner(); //> inner
    fn inner() -> i32 { 1 } //= inner
    found
}
""",
    "names: a variable of a block ends with it": """
fn size() -> i32 { 1 } //= size
pub fn run() -> i32 {
    {
        let size = 3;
        let _ = size;
    }
    size() //> size
}
""",
    "names: a field and a method of one name": """
pub struct A { size: i32 }
impl A {
    fn size(&self) -> i32 { self.size } //= size
}
pub fn run(a: A) -> i32 {
    a.size() + a.size //> size
}
""",
    "names: a field that holds a function": """
pub struct A { run: fn() -> i32 }
impl A {
    pub fn run(&self) -> i32 { 1 } //= method
}
pub fn go(a: &A) -> i32 {
    a.run() //> method
}
""",
    "names: a bare call in a method of the name": """
fn size() -> i32 { 1 } //= function
pub struct A;
impl A {
    pub fn size(&self) -> i32 {
        size() //> function
    }
}
""",
    "names: a parameter hides no module in a path": """
mod format {
    pub fn new(x: i32) -> i32 { x } //= new
}
pub fn run(format: i32) -> i32 {
    format::new(format) //> new
}
""",
    "names: a module and a function of one name": """
mod size {
    pub fn size() -> i32 { 1 } //= size
}
pub use size::size;
pub fn run() -> i32 {
    crate::size() + size() //> size size
}
""",
    "names: self begins a path of the module": """
mod table {
    pub fn get() -> i32 { 1 } //= get
}
pub struct A;
impl A {
    pub fn run(&self) -> i32 {
        self::table::get() //> get
    }
}
""",
    "paths: super and crate": """
fn top() -> i32 { 1 } //= top
pub mod inner {
    pub fn run() -> i32 {
        super::top() + crate::top() //> top top
    }
}
""",
    "paths: a type's own name in its block": """
pub struct A(i32);
impl A {
    pub fn new() -> Self { Self(1) } //= new
    pub fn two() -> (Self, A) {
        (Self::new(), A::new()) //> new new
    }
}
""",
    "paths: a qualified path": """
pub trait T { fn f(&self) -> i32; }
pub struct A;
impl A { pub fn f(&self) -> i32 { 1 } } //= own
impl T for A {
    fn f(&self) -> i32 { 2 } //= of_trait
}
pub fn run(a: A) -> i32 {
    let one = a.f(); //> own
    one + <A as T>::f(&a) //> of_trait
}
""",
    "uses: a list with another name": """
mod m {
    pub fn f() -> i32 { 1 } //= f
    pub fn g() -> i32 { 1 } //= g
}
use m::{f, g as h};
pub fn run() -> i32 {
    f() + h() //> f g
}
""",
    "uses: a glob": """
mod m {
    pub fn f() -> i32 { 1 } //= f
}
use m::*;
pub fn run() -> i32 { f() } //> f
""",
    "uses: a glob of a block": """
mod m {
    pub fn f() -> i32 { 1 } //= f
}
pub fn run(on: bool) -> i32 {
    if on {
        use m::*;
        f() //> f
    } else {
        0
    }
}
""",
    "uses: a glob of a glob": """
mod a {
    mod b {
        pub fn f() -> i32 { 1 } //= f
    }
    pub use self::b::*;
}
use a::*;
pub fn run() -> i32 { f() } //> f
""",
    "uses: a glob brings nothing private": """
fn g() -> i32 { 1 } //= outer
mod m {
    mod n { pub fn g() -> i32 { 2 } }
    #[allow(unused)]
    use self::n::g;
    pub fn f() -> i32 { 1 }
}
#[allow(unused)]
use m::*;
pub fn run() -> i32 { g() } //> outer
""",
    "uses: a name hides that of a glob": """
mod m { pub fn f() -> i32 { 1 } }
#[allow(unused)]
use m::*;
fn f() -> i32 { 2 } //= own
pub fn run() -> i32 { f() } //> own
""",
    "uses: globs that import each other": """
pub mod a {
    pub use super::b::*;
    pub fn f() -> i32 { g() } //= f //> g
}
pub mod b {
    pub use super::a::*;
    pub fn g() -> i32 { 1 } //= g
    pub fn run() -> i32 { f() } //> f
}
""",
    "uses: in a function": """
mod m { pub fn f() -> i32 { 1 } } //= f
pub fn run() -> i32 {
    use m::f;
    f() //> f
}
""",
    "uses: a glob in a function": """
mod m { pub fn f() -> i32 { 1 } } //= f
pub fn run() -> i32 {
    use m::*;
    f() //> f
}
""",
    "uses: variants in a function": """
pub enum E { One(i32), Two } //= one
pub fn run(x: i32) -> E {
    use E::{One, Two};
    if x > 0 { One(x) } else { Two } //> one
}
""",
    "uses: what is public again": """
mod m {
    mod deep { pub fn f() -> i32 { 1 } } //= f
    pub use deep::f as g;
}
pub fn run() -> i32 { m::g() } //> f
""",
    "structs: a tuple struct is called": """
pub struct A(pub i32); //= A
pub fn run() -> A { A(1) } //> A
""",
    "structs: an expression with fields is no call": """
pub struct A { pub x: i32 }
pub fn run() -> A {
    A { x: 1 } //> none
}
""",
    "structs: a tuple struct in another one": """
pub struct A(pub i32); //= A
pub struct B { pub a: A }
pub fn run() -> B {
    B { a: A(1) } //> A
}
""",
    "enums: a variant with values is called": """
pub enum E { //= E
    One(i32), //= One
    Two { x: i32 },
}
pub fn run() -> [E; 2] {
    [E::One(1), E::Two { x: 1 }] //> One
}
""",
    "enums: a method of one": """
pub enum E { One, Two }
impl E { fn flip(self) -> E { self } } //= flip
pub fn run() -> (E, E) {
    (E::One.flip(), E::Two.flip()) //> flip flip
}
""",
    "aliases: a type by another name": """
pub struct A;
impl A { pub fn new() -> A { A } } //= new
pub type B = A;
pub fn run() -> B { B::new() } //> new
""",
    "aliases: with arguments of its own": """
pub struct Pair<A, B>(pub A, pub B);
pub struct X;
impl X { pub fn go(&self) -> i32 { 1 } } //= go
pub type Flipped<T> = Pair<i32, T>;
pub fn run(pair: Flipped<X>) -> i32 {
    pair.1.go() //> go
}
""",
    "aliases: a block of an alias": """
pub struct Pair<A, B>(pub A, pub B);
pub type Ints = Pair<i32, i32>;
impl Ints { pub fn sum(&self) -> i32 { self.0 + self.1 } } //= sum
pub fn run(pair: Ints) -> i32 { pair.sum() } //> sum
""",
    "traits: a method of a bound": """
pub trait T { fn f(&self) -> i32; } //= f
pub fn run<A: T>(a: A) -> i32 { a.f() } //> f
""",
    "traits: a bound in a where clause": """
pub trait T { fn f(&self) -> i32; } //= f
pub fn run<A>(a: &A) -> i32 where A: T {
    a.f() //> f
}
""",
    "traits: one of several bounds": """
pub trait T { fn f(&self) -> i32; } //= f
pub trait U { fn g(&self) -> i32; } //= g
pub fn run<A: T + U>(a: A) -> i32 { a.f() + a.g() } //> f g
""",
    "traits: a bound that a block says": """
pub trait T { fn f(&self) -> i32; } //= f
pub struct One<V>(V);
impl<V: T> One<V> {
    pub fn run(&self) -> i32 { self.0.f() } //> f
}
""",
    "traits: a block with another name for the parameter": """
pub trait T { fn f(&self) -> i32; } //= f
pub struct One<V> { inner: V }
impl<W> One<W> where W: T {
    pub fn run(&self) -> i32 { self.inner.f() } //> f
}
""",
    "traits: a bound of a method": """
pub trait T { fn f(&self) -> i32; } //= f
pub struct One<V> { inner: V }
impl<V> One<V> {
    pub fn run(&self) -> i32 where V: T { self.inner.f() } //> f
}
""",
    "traits: a function of a parameter": """
pub trait T { fn make() -> Self; } //= make
pub fn run<A: T>() -> A { A::make() } //> make
""",
    "traits: dyn": """
pub trait T { fn f(&self) -> i32; } //= f
pub fn run(a: &dyn T, b: Box<dyn T>) -> i32 { a.f() + b.f() } //> f f
""",
    "traits: impl": """
pub trait T { fn f(&self) -> i32; } //= f
pub fn run(a: impl T) -> i32 { a.f() } //> f
""",
    "traits: a result that is impl": """
pub trait T { fn f(&self) -> i32; } //= f
struct A;
impl T for A { fn f(&self) -> i32 { 1 } }
fn make() -> impl T { A } //= make
pub fn run() -> i32 { make().f() } //> make f
""",
    "traits: a provided method": """
pub trait T {
    fn f(&self) -> i32; //= f
    fn g(&self) -> i32 { self.f() } //= g //> f
}
pub struct A;
impl T for A { fn f(&self) -> i32 { 1 } }
pub fn run(a: A) -> i32 { a.g() } //> g
""",
    "traits: what a type implements": """
pub trait T { fn f(&self) -> i32; }
pub struct A;
impl T for A { fn f(&self) -> i32 { 1 } } //= f
pub fn run(a: A) -> i32 { a.f() } //> f
""",
    "traits: the type's own method comes first": """
pub trait T { fn f(&self) -> i32; }
pub struct A;
impl T for A { fn f(&self) -> i32 { 1 } }
impl A { pub fn f(&self) -> i32 { 2 } } //= own
pub fn run(a: A) -> i32 { a.f() } //> own
""",
    "traits: a method of a supertrait": """
pub trait T { fn f(&self) -> i32; } //= f
pub trait U: T { fn g(&self) -> i32 { self.f() } } //> f
pub fn run<A: U>(a: A) -> i32 { a.f() } //> f
""",
    "traits: an associated type with a bound": """
pub trait T { fn f(&self) -> i32; fn make() -> Self; } //= T
pub trait U { type Item: T; fn item(&self) -> Self::Item; } //= item
pub fn run<A: U>(a: A) -> i32 {
    a.item().f() //> item T
}
""",
    "traits: a function of an associated type": """
pub trait T { fn make() -> i32; } //= make
pub trait U { type Item: T; }
pub fn run<A: U>() -> i32 { A::Item::make() } //> make
""",
    "traits: an associated type of a block": """
pub struct X;
impl X { pub fn go(&self) -> i32 { 1 } } //= go
pub trait U { type Item; fn item(&self) -> Self::Item; }
pub struct A;
impl U for A {
    type Item = X;
    fn item(&self) -> Self::Item { X } //= item
}
pub fn run(a: A) -> i32 { a.item().go() } //> item go
""",
    "traits: for all types": """
pub trait T { fn twice(&self) -> i32; } //= twice
impl<A: Copy + Into<i32>> T for A {
    fn twice(&self) -> i32 { 2 * (*self).into() }
}
pub fn run(x: u8) -> i32 { x.twice() } //> twice
""",
    "traits: for a pointer": """
pub trait T { fn at(self) -> usize; } //= at
impl<A> T for *const A { fn at(self) -> usize { self as usize } }
pub fn run(x: *const u8) -> usize { x.at() } //> at
""",
    "traits: for a reference": """
pub trait T { fn f(&self) -> i32; } //= f
impl<'a, A: T> T for &'a A {
    fn f(&self) -> i32 {
        (**self).f() //> f
    }
}
""",
    "traits: a number's own method comes first": """
pub trait T { fn wrapping_add(self, other: Self) -> Self; }
impl T for u32 {
    fn wrapping_add(self, other: u32) -> u32 {
        self.wrapping_add(other) //> none
    }
}
""",
    "traits: one implementation for each argument": """
pub trait From2<X> { fn from2(x: X) -> Self; }
pub struct A;
impl From2<i32> for A { fn from2(_: i32) -> A { A } }
pub struct B;
impl From2<u8> for B { fn from2(_: u8) -> B { B } } //= from_byte
pub fn run() -> B { B::from2(1) } //> from_byte
""",
    "deref: a method behind a box": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub fn run(a: Box<A>, b: std::rc::Rc<A>) -> i32 { a.f() + b.f() } //> f f
""",
    "deref: a method behind a type that implements it": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub struct W(A);
impl std::ops::Deref for W {
    type Target = A;
    fn deref(&self) -> &A { &self.0 }
}
pub fn run(w: W) -> i32 { w.f() } //> f
""",
    "results: the question mark": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
fn make() -> Result<A, String> { Ok(A) } //= make
pub fn run() -> Result<i32, String> { Ok(make()?.f()) } //> make f
""",
    "results: a tuple behind a question mark": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
fn make() -> Result<(A, i32), String> { Ok((A, 1)) }
pub fn run() -> Result<i32, String> {
    let (a, n) = make()?;
    Ok(a.f() + n) //> f
}
""",
    "options: if let": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub fn run(a: Option<A>) -> i32 {
    if let Some(a) = a { a.f() } else { 0 } //> f
}
""",
    "patterns: the fields of a struct": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub struct B { pub a: A, pub n: i32 }
pub fn run(b: B) -> i32 {
    let B { a, n } = b;
    a.f() + n //> f
}
""",
    "patterns: with a type": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
fn make<T>() -> T { panic!() }
pub fn run() -> i32 {
    let (a, n): (A, i32) = make();
    a.f() + n //> f
}
""",
    "patterns: the values of a variant": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub enum E { One(A), Two }
pub fn run(e: E) -> i32 {
    match e {
        E::One(a) => a.f(), //> f
        E::Two => 0,
    }
}
""",
    "iterators: the element of a vector": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub fn run(rows: Vec<A>) -> i32 {
    let mut sum = 0;
    for a in &rows {
        sum += a.f(); //> f
    }
    sum
}
""",
    "iterators: a closure's parameter": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub fn run(rows: Vec<A>) -> i32 {
    rows.iter().map(|a| a.f()).sum() //> f
}
""",
    "iterators: one of the crate": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
pub struct Rows;
impl Iterator for Rows {
    type Item = A;
    fn next(&mut self) -> Option<A> { None }
}
pub fn run(rows: Rows) -> i32 {
    let mut sum = 0;
    for a in rows {
        sum += a.f(); //> f
    }
    sum
}
""",
    "functions: a variable that holds one": """
fn f() -> i32 { 1 } //= f
pub fn run() -> i32 {
    let g = f;
    g() //> f
}
""",
    "functions: a generic result": """
pub struct A;
impl A { fn f(&self) -> i32 { 1 } } //= f
fn same<T>(x: T) -> T { x } //= same
pub fn run() -> i32 { same(A).f() } //> same f
""",
    "macros: calls among the arguments": """
fn f() -> i32 { 1 } //= f
pub struct A;
impl A { fn g(&self) -> i32 { 1 } } //= g
pub fn run(a: A) {
    assert_eq!(f(), a.g()); //> f g
}
""",
    "macros: a path among the arguments": """
mod m { pub fn f() -> i32 { 1 } } //= f
pub fn run() -> String {
    format!("{}", m::f()) //> f
}
""",
}
