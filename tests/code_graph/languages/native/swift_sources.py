"""Small sources of Swift with all the edges that they have, checked by hand."""

from __future__ import annotations

from typing import Final

CASES: Final[dict[str, tuple[dict[str, str], list[str]]]] = {
    "functions of the module": (
        {
            "Sources/App/a.swift": """\
func f() {}
func run() { f(); g() }
""",
            "Sources/App/b.swift": """\
func g() { f() }
""",
        },
        [
            "g calls f exact",
            "run calls f exact",
            "run calls g exact",
        ],
    ),
    "a private function of another file": (
        {
            "Sources/App/a.swift": """\
func run() { f() }
""",
            "Sources/App/b.swift": """\
private func f() {}
""",
        },
        [],
    ),
    "an imported module": (
        {
            "Package.swift": """\
// swift-tools-version:5.9
import PackageDescription
let package = Package(name: "App", targets: [.target(name: "App"), .target(name: "Lib")])
""",
            "Sources/App/a.swift": """\
import Lib
func run() { f(); Lib.f(); S().m() }
""",
            "Sources/Lib/l.swift": """\
public func f() {}
public struct S { public init() {}
 public func m() {} }
""",
        },
        [
            "run calls S exact",
            "run calls S.init exact",
            "run calls S.m exact",
            "run calls f exact",
        ],
    ),
    "a module that is not imported": (
        {
            "Package.swift": """\
// swift-tools-version:5.9
import PackageDescription
let package = Package(name: "App", targets: [.target(name: "App"), .target(name: "Lib")])
""",
            "Sources/App/a.swift": """\
func run() { f() }
""",
            "Sources/Lib/l.swift": """\
public func f() {}
""",
        },
        [],
    ),
    "methods and implicit self": (
        {
            "Sources/App/a.swift": """\
class A {
  func f() { g(); self.g() }
  func g() {}
  static func h() { k() }
  static func k() {}
}
func run(a: A) { a.f(); A.h() }
""",
        },
        [
            "A.f calls A.g exact",
            "A.h calls A.k exact",
            "run accepts A exact",
            "run calls A.f exact",
            "run calls A.h exact",
        ],
    ),
    "an extension in another file": (
        {
            "Sources/App/a.swift": """\
struct A { func f() { g() } }
""",
            "Sources/App/b.swift": """\
extension A { func g() { f() } }
func run(a: A) { a.g() }
""",
        },
        [
            "A.f calls A.g exact",
            "A.g calls A.f exact",
            "run accepts A exact",
            "run calls A.g exact",
        ],
    ),
    "labels tell functions apart": (
        {
            "Sources/App/a.swift": """\
class A {
  func move(to x: Int) {}
  func move(by x: Int) {}
  func move(_ x: Int, fast: Bool = true) {}
}
func one(a: A) { a.move(to: 1) }
func two(a: A) { a.move(by: 1) }
func three(a: A) { a.move(1) }
""",
        },
        [
            "one accepts A exact",
            "one calls A.move@Sources/App/a.swift:2 inferred",
            "three accepts A exact",
            "three calls A.move@Sources/App/a.swift:4 inferred",
            "two accepts A exact",
            "two calls A.move@Sources/App/a.swift:3 inferred",
        ],
    ),
    "initialisers": (
        {
            "Sources/App/a.swift": """\
struct A {
  init(x: Int) { self.init() }
  init() {}
}
func one() { _ = A(x: 1) }
func two() { _ = A.init() }
""",
        },
        [
            "A.init@Sources/App/a.swift:2 calls A.init@Sources/App/a.swift:3 inferred",
            "one calls A exact",
            "one calls A.init@Sources/App/a.swift:2 inferred",
            "two calls A.init@Sources/App/a.swift:3 inferred",
        ],
    ),
    "a base class": (
        {
            "Sources/App/a.swift": """\
class A {
  init() {}
  func f() {}
}
class B: A {
  override init() { super.init() }
  override func f() { super.f() }
}
func run() { B().f() }
""",
        },
        [
            "B inherits A exact",
            "B.f calls A.f exact",
            "B.f overrides A.f exact",
            "B.init calls A.init exact",
            "B.init overrides A.init exact",
            "run calls B exact",
            "run calls B.f exact",
            "run calls B.init exact",
        ],
    ),
    "a protocol and its conformance": (
        {
            "Sources/App/a.swift": """\
protocol P { func f() }
struct A: P { func f() {} }
func run(p: P, a: A) { p.f(); a.f() }
""",
        },
        [
            "A implements P exact",
            "A.f overrides P.f exact",
            "run accepts A exact",
            "run accepts P exact",
            "run calls A.f exact",
            "run calls P.f exact",
        ],
    ),
    "a conformance in an extension": (
        {
            "Sources/App/a.swift": """\
protocol P { func f() }
struct A {}
""",
            "Sources/App/b.swift": """\
extension A: P { func f() {} }
func run(a: A) { a.f() }
""",
        },
        [
            "A implements P exact",
            "A.f overrides P.f exact",
            "run accepts A exact",
            "run calls A.f exact",
        ],
    ),
    "a default of a protocol": (
        {
            "Sources/App/a.swift": """\
protocol P { func f() }
extension P { func g() { f() } }
struct A: P { func f() {} }
func run(a: A) { a.g() }
""",
        },
        [
            "A implements P exact",
            "A.f overrides P.f exact",
            "P.g calls P.f exact",
            "run accepts A exact",
            "run calls P.g exact",
        ],
    ),
    "bounds of generics": (
        {
            "Sources/App/a.swift": """\
protocol P { func f() }
func one<T: P>(x: T) { x.f() }
func two<T>(x: T) where T: P { x.f() }
func three(x: some P, y: any P) { x.f(); y.f() }
""",
        },
        [
            "one calls P.f exact",
            "three accepts P exact",
            "three calls P.f exact",
            "two calls P.f exact",
        ],
    ),
    "a generic type": (
        {
            "Sources/App/a.swift": """\
struct A { func f() {} }
struct Box<T> {
  let value: T
  func get() -> T { value }
}
func run(b: Box<A>) { b.get().f(); b.value.f() }
""",
        },
        [
            "run accepts A exact",
            "run accepts Box exact",
            "run calls A.f inferred",
            "run calls Box.get exact",
        ],
    ),
    "optionals": (
        {
            "Sources/App/a.swift": """\
class A {
  var next: A?
  func f() {}
}
func find() -> A? { nil }
func run(a: A?) {
  a?.f()
  a?.next?.f()
  if let b = find() { b.f() }
  guard let c = a else { return }
  c.f()
  a!.f()
}
""",
        },
        [
            "run accepts A exact",
            "run calls A.f exact",
            "run calls find exact",
        ],
    ),
    "closures and collections": (
        {
            "Sources/App/a.swift": """\
struct A {
  func f() -> B { B() }
}
struct B { func g() {} }
func run(all: [A]) {
  for a in all { a.f() }
  all.forEach { $0.f() }
  let b = all.map { a in a.f() }
  b.first?.g()
  b[0].g()
}
""",
        },
        [
            "A.f calls B exact",
            "run accepts A exact",
            "run calls A.f inferred",
            "run calls B.g inferred",
        ],
    ),
    "members without an object": (
        {
            "Sources/App/a.swift": """\
enum E {
  case one, two(Int)
  static func make() -> E { .one }
  func f() {}
}
func take(e: E) {}
func run() {
  take(e: .make())
  let e: E = .make()
  e.f()
}
""",
        },
        [
            "run calls E.f exact",
            "run calls E.make inferred",
            "run calls take exact",
            "take accepts E exact",
        ],
    ),
    "properties": (
        {
            "Sources/App/a.swift": """\
struct A {
  func f() -> Int { 1 }
  var x: Int { f() }
  lazy var b = B()
  static let shared = A()
}
struct B { func g() {} }
func run(a: A) { a.b.g(); A.shared.f() }
""",
        },
        [
            "A.b calls B exact",
            "A.shared calls A exact",
            "A.x calls A.f exact",
            "run accepts A exact",
            "run calls A.f exact",
            "run calls B.g exact",
        ],
    ),
    "nested types": (
        {
            "Sources/App/a.swift": """\
struct A {
  struct In { func f() {} }
  let inner: In
  func run() { inner.f(); In().f() }
}
func other() { A.In().f() }
""",
        },
        [
            "A.run calls A.In exact",
            "A.run calls A.In.f exact",
            "other calls A.In exact",
            "other calls A.In.f exact",
        ],
    ),
    "an extension of an external type": (
        {
            "Sources/App/a.swift": """\
extension String { func shout() -> String { self } }
func run(s: String) { s.shout(); "a".shout().shout() }
""",
        },
        [
            "run calls String.shout exact",
        ],
    ),
    "a function as a value": (
        {
            "Sources/App/a.swift": """\
func f() {}
func take(_ g: () -> Void) { g() }
func run() { take(f) }
""",
        },
        [
            "run calls take exact",
            "run references f exact",
        ],
    ),
    "a closure behind a call": (
        {
            "Sources/App/a.swift": """\
func with(x: Int, then: () -> Void) { then() }
func g() {}
func run() { with(x: 1) { g() } }
""",
        },
        [
            "run calls g exact",
            "run calls with exact",
        ],
    ),
    "a type of another name": (
        {
            "Sources/App/a.swift": """\
struct A { func f() {} }
typealias B = A
func run(b: B) { b.f() }
""",
        },
        [
            "run calls A.f exact",
        ],
    ),
    "cases of an enum": (
        {
            "Sources/App/a.swift": """\
struct A { func f() {} }
enum E {
  case one(A)
  case two
  func m() {
    switch self {
    case .one(let a): a.f()
    case .two: break
    }
  }
}
func run() { E.one(A()).m() }
""",
        },
        [
            "E.m calls A.f exact",
            "run calls A exact",
            "run calls E.m exact",
            "run calls E.one exact",
        ],
    ),
    "a local function": (
        {
            "Sources/App/a.swift": """\
func f() {}
func run() {
  func f() {}
  f()
}
func other() { f() }
""",
        },
        [
            "other calls f exact",
            "run calls run.f exact",
        ],
    ),
}
