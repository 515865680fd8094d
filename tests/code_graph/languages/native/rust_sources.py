"""Small sources of Rust with all the edges that they have, checked by hand."""

from __future__ import annotations

from typing import Final

CASES: Final[dict[str, tuple[dict[str, str], list[str]]]] = {
    "two stars before self are what a pointer of the library holds": (
        {
            "Cargo.toml": """\
[package]
name = "app"
version = "0.1.0"
""",
            "src/lib.rs": """\
use std::sync::Arc;
trait Search { fn find(&self) -> usize; fn again(&self) -> usize; }
trait Inner: Search {}
impl Search for Arc<dyn Inner> {
    fn find(&self) -> usize { (**self).find() }
    fn again(&self) -> usize { (*self).find() }
}
""",
        },
        [
            "app::Arc implements app::Search exact",
            "app::Arc::again calls app::Arc::find exact",
            "app::Arc::again overrides app::Search::again exact",
            "app::Arc::find calls app::Search::find exact",
            "app::Arc::find overrides app::Search::find exact",
            "app::Inner extends app::Search exact",
        ],
    ),
    "a function of each system is not sure": (
        {
            "Cargo.toml": """\
[package]
name = "app"
version = "0.1.0"
""",
            "src/lib.rs": """\
#[cfg(unix)]
fn f() -> i32 { 1 }
#[cfg(windows)]
fn f() -> i32 { 2 }
pub fn run() -> i32 { f() }
""",
        },
        [
            "app::run calls app::f inferred",
        ],
    ),
    "functions of modules": (
        {
            "Cargo.toml": """\
[package]
name = "app"
version = "0.1.0"
""",
            "src/lib.rs": """\
mod a;
pub mod b;
fn run() { a::f(); b::g(); self::a::f(); }
""",
            "src/a.rs": """\
pub fn f() { super::b::g(); crate::b::g(); }
""",
            "src/b/mod.rs": """\
pub mod c;
pub fn g() { c::h(); self::c::h(); }
""",
            "src/b/c.rs": """\
pub fn h() {}
""",
        },
        [
            "app::a::f calls app::b::g exact",
            "app::b::g calls app::b::c::h exact",
            "app::run calls app::a::f exact",
            "app::run calls app::b::g exact",
        ],
    ),
    "use trees": (
        {
            "Cargo.toml": """\
[package]
name = "app"
version = "0.1.0"
""",
            "src/lib.rs": """\
mod a;
use a::{f, inner::{self, g as h}};
fn run() { f(); h(); inner::g(); }
""",
            "src/a.rs": """\
pub fn f() {}
pub mod inner {
    pub fn g() { super::f() }
}
""",
        },
        [
            "app::a::inner::g calls app::a::f exact",
            "app::run calls app::a::f exact",
            "app::run calls app::a::inner::g exact",
            "src/lib.rs imports app::a::f exact",
            "src/lib.rs imports app::a::inner exact",
            "src/lib.rs imports app::a::inner::g exact",
        ],
    ),
    "globs and re-exports": (
        {
            "Cargo.toml": """\
[package]
name = "app"
version = "0.1.0"
""",
            "src/lib.rs": """\
mod a;
pub mod prelude { pub use crate::a::*; }
""",
            "src/a.rs": """\
pub fn f() {}
pub struct S;
impl S { pub fn m(&self) {} }
""",
            "src/b.rs": "",
            "src/main.rs": """\
use app::prelude::*;
fn main() { f(); S.m(); }
""",
        },
        [
            "app::prelude imports src/a.rs exact",
            "main::main calls app::a::S::m exact",
            "main::main calls app::a::f exact",
            "src/main.rs imports app::prelude exact",
        ],
    ),
    "an inner module does not see its parent": (
        {
            "Cargo.toml": """\
[package]
name = "app"
version = "0.1.0"
""",
            "src/lib.rs": """\
fn f() {}
mod m {
    fn run() { f(); }
    fn other() { super::f(); }
}
""",
        },
        [
            "app::m::other calls app::f exact",
        ],
    ),
    "methods and associated functions": (
        {
            "Cargo.toml": """\
[package]
name = "app"
version = "0.1.0"
""",
            "src/lib.rs": """\
struct A;
impl A {
    fn new() -> Self { A }
    fn f(&self) { self.g(); Self::h(); }
    fn g(&self) {}
    fn h() {}
}
fn run() { let a = A::new(); a.f(); A::f(&a); }
""",
        },
        [
            "app::A::f calls app::A::g exact",
            "app::A::f calls app::A::h exact",
            "app::run calls app::A::f exact",
            "app::run calls app::A::new exact",
        ],
    ),
    "an implementation in another file": (
        {
            "Cargo.toml": """\
[package]
name = "app"
version = "0.1.0"
""",
            "src/lib.rs": """\
mod a;
mod b;
fn run(x: a::A) { x.f(); x.g(); }
""",
            "src/a.rs": """\
pub struct A;
impl A { pub fn f(&self) {} }
""",
            "src/b.rs": """\
use crate::a::A;
impl A { pub fn g(&self) { self.f(); } }
""",
        },
        [
            "app::b::A::g calls app::a::A::f exact",
            "app::run accepts app::a::A exact",
            "app::run calls app::a::A::f exact",
            "app::run calls app::b::A::g exact",
            "src/b.rs imports app::a::A exact",
        ],
    ),
    "traits and implementations": (
        {
            "Cargo.toml": """\
[package]
name = "app"
version = "0.1.0"
""",
            "src/lib.rs": """\
trait T { fn f(&self); fn g(&self) { self.f(); } }
struct A;
struct B;
impl T for A { fn f(&self) {} }
impl T for B { fn f(&self) {} fn g(&self) {} }
fn run(a: A, b: B) { a.f(); a.g(); b.f(); b.g(); }
""",
        },
        [
            "app::A implements app::T exact",
            "app::A::f overrides app::T::f exact",
            "app::B implements app::T exact",
            "app::B::f overrides app::T::f exact",
            "app::B::g overrides app::T::g exact",
            "app::T::g calls app::T::f exact",
            "app::run accepts app::A exact",
            "app::run accepts app::B exact",
            "app::run calls app::A::f exact",
            "app::run calls app::B::f exact",
            "app::run calls app::B::g exact",
            "app::run calls app::T::g exact",
        ],
    ),
    "bounds of generics": (
        {
            "Cargo.toml": """\
[package]
name = "app"
version = "0.1.0"
""",
            "src/lib.rs": """\
trait T { fn f(&self); }
fn one<X: T>(x: X) { x.f(); }
fn two<X>(x: &X) where X: T { x.f(); }
fn three(x: impl T, y: &dyn T, z: Box<dyn T>) { x.f(); y.f(); z.f(); }
""",
        },
        [
            "app::one calls app::T::f exact",
            "app::three accepts app::T exact",
            "app::three calls app::T::f exact",
            "app::two calls app::T::f exact",
        ],
    ),
    "a supertrait": (
        {
            "Cargo.toml": """\
[package]
name = "app"
version = "0.1.0"
""",
            "src/lib.rs": """\
trait A { fn f(&self); }
trait B: A { fn g(&self) { self.f(); } }
fn run(x: &dyn B) { x.f(); x.g(); }
""",
        },
        [
            "app::B extends app::A exact",
            "app::B::g calls app::A::f exact",
            "app::run accepts app::B exact",
            "app::run calls app::A::f exact",
            "app::run calls app::B::g exact",
        ],
    ),
    "a trait named for a method": (
        {
            "Cargo.toml": """\
[package]
name = "app"
version = "0.1.0"
""",
            "src/lib.rs": """\
trait T { fn f(&self); }
struct A;
impl A { fn f(&self) {} }
impl T for A { fn f(&self) {} }
fn run(a: A) { a.f(); T::f(&a); <A as T>::f(&a); }
""",
        },
        [
            "app::A implements app::T exact",
            "app::A::f@src/lib.rs:4 overrides app::T::f exact",
            "app::run accepts app::A exact",
            "app::run calls app::A::f@src/lib.rs:3 exact",
            "app::run calls app::A::f@src/lib.rs:4 exact",
            "app::run calls app::T::f exact",
        ],
    ),
    "options and results": (
        {
            "Cargo.toml": """\
[package]
name = "app"
version = "0.1.0"
""",
            "src/lib.rs": """\
struct A;
impl A { fn f(&self) {} }
fn find() -> Option<A> { None }
fn load() -> Result<A, B> { todo!() }
struct B;
impl B { fn g(&self) {} }
fn run() -> Result<(), B> {
    find().unwrap().f();
    load()?.f();
    let a = load()?;
    a.f();
    if let Some(x) = find() { x.f(); }
    match load() { Ok(a) => a.f(), Err(b) => b.g() }
    Ok(())
}
""",
        },
        [
            "app::run calls app::A::f exact",
            "app::run calls app::A::f inferred",
            "app::run calls app::B::g inferred",
            "app::run calls app::find exact",
            "app::run calls app::load exact",
        ],
    ),
    "enums and their variants": (
        {
            "Cargo.toml": """\
[package]
name = "app"
version = "0.1.0"
""",
            "src/lib.rs": """\
struct A;
impl A { fn f(&self) {} }
enum E { One(A), Two { a: A }, Three }
impl E {
    fn m(&self) {
        match self { E::One(a) => a.f(), Self::Two { a } => a.f(), E::Three => {} }
    }
}
fn run() { E::One(A).m(); E::Three.m(); }
""",
        },
        [
            "app::E::m calls app::A::f exact",
            "app::run calls app::E::One exact",
            "app::run calls app::E::m exact",
        ],
    ),
    "collections and closures": (
        {
            "Cargo.toml": """\
[package]
name = "app"
version = "0.1.0"
""",
            "src/lib.rs": """\
struct A;
impl A { fn f(&self) -> B { B } }
struct B;
impl B { fn g(&self) {} }
fn run(all: Vec<A>, few: &[A]) {
    for a in &all { a.f(); }
    all.iter().for_each(|a| { a.f(); });
    let b: Vec<B> = few.iter().map(|a| a.f()).collect();
    b[0].g();
    all.first().unwrap().f().g();
}
""",
        },
        [
            "app::run accepts app::A exact",
            "app::run calls app::A::f inferred",
            "app::run calls app::B::g inferred",
        ],
    ),
    "fields": (
        {
            "Cargo.toml": """\
[package]
name = "app"
version = "0.1.0"
""",
            "src/lib.rs": """\
struct A { b: B, c: Option<Box<B>> }
struct B;
impl B { fn g(&self) {} }
impl A {
    fn run(&mut self) { self.b.g(); self.c.as_ref().unwrap().g(); }
}
struct W(B);
fn w(x: W) { x.0.g(); }
""",
        },
        [
            "app::A::run calls app::B::g exact",
            "app::A::run calls app::B::g inferred",
            "app::w accepts app::W exact",
            "app::w calls app::B::g exact",
        ],
    ),
    "macros": (
        {
            "Cargo.toml": """\
[package]
name = "app"
version = "0.1.0"
""",
            "src/lib.rs": """\
macro_rules! m { () => {} }
fn f() {}
fn run() { m!(); println!("{}", f()); assert!(f() == ()); }
""",
        },
        [
            "app::run calls app::f exact",
            "app::run calls app::m exact",
            "app::run references app::m exact",
        ],
    ),
    "another crate": (
        {
            "Cargo.toml": """\
[workspace]
members = ["one", "two"]
""",
            "one/Cargo.toml": """\
[package]
name = "one-lib"
version = "0.1.0"
""",
            "one/src/lib.rs": """\
pub mod m;
pub use m::f;
""",
            "one/src/m.rs": """\
pub fn f() {}
""",
            "two/Cargo.toml": """\
[package]
name = "two"
version = "0.1.0"
[dependencies]
one-lib = { path = "../one" }
""",
            "two/src/main.rs": """\
use one_lib::m;
fn main() { m::f(); one_lib::f(); }
""",
        },
        [
            "main::main calls one_lib::m::f exact",
            "one/src/lib.rs imports one_lib::m::f exact",
            "two/src/main.rs imports one/src/m.rs exact",
        ],
    ),
    "functions in functions": (
        {
            "Cargo.toml": """\
[package]
name = "app"
version = "0.1.0"
""",
            "src/lib.rs": """\
fn f() {}
fn run() {
    fn f() {}
    f();
}
fn other() { f(); }
""",
        },
        [
            "app::other calls app::f exact",
            "app::run calls app::run::f exact",
        ],
    ),
    "type aliases and generics": (
        {
            "Cargo.toml": """\
[package]
name = "app"
version = "0.1.0"
""",
            "src/lib.rs": """\
struct A;
impl A { fn f(&self) {} }
type Z = A;
struct Holder<T> { t: T }
impl<T> Holder<T> { fn get(&self) -> &T { &self.t } }
fn run(z: Z, h: Holder<A>) { z.f(); h.get().f(); h.t.f(); }
""",
        },
        [
            "app::run accepts app::A exact",
            "app::run accepts app::Holder exact",
            "app::run calls app::A::f exact",
            "app::run calls app::A::f inferred",
            "app::run calls app::Holder::get exact",
        ],
    ),
    "a function as a value": (
        {
            "Cargo.toml": """\
[package]
name = "app"
version = "0.1.0"
""",
            "src/lib.rs": """\
fn f() {}
fn take(g: fn()) { g(); }
fn run() { take(f); let h = f; h(); }
""",
        },
        [
            "app::run calls app::f exact",
            "app::run calls app::take exact",
            "app::run references app::f exact",
        ],
    ),
    "derived methods are external": (
        {
            "Cargo.toml": """\
[package]
name = "app"
version = "0.1.0"
""",
            "src/lib.rs": """\
#[derive(Clone, Default)]
struct A;
impl A { fn f(&self) {} }
fn run() { let a = A::default(); a.clone().f(); }
""",
        },
        [
            "app::run calls app::A::f inferred",
        ],
    ),
    "an external crate": (
        {
            "Cargo.toml": """\
[package]
name = "app"
version = "0.1.0"
""",
            "src/lib.rs": """\
use serde::Value;
fn run(v: Value) { v.f(); serde::to_string(v); }
fn f() {}
fn to_string() {}
""",
        },
        [],
    ),
    "constants": (
        {
            "Cargo.toml": """\
[package]
name = "app"
version = "0.1.0"
""",
            "src/lib.rs": """\
struct A;
impl A { fn f(&self) {} const X: A = A; }
static S: A = A;
fn run() { S.f(); A::X.f(); }
""",
        },
        [
            "app::run calls app::A::f exact",
            "app::run references app::A::X exact",
            "app::run references app::S exact",
        ],
    ),
}
