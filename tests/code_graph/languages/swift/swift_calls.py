"""Calls of Swift by chapters of its reference: `//= x` marks a declaration, `//> x` a call."""

from __future__ import annotations

from typing import Final

CASES: Final = {
    "names: a function of the file": """
func f() -> Int { return 1 } //= f
func run() -> Int { return f() } //> f
""",
    "names: a local function": """
func run() -> Int {
    func f() -> Int { return 1 } //= f
    return f() //> f
}
""",
    "names: a local function hides that of the file": """
func f() -> Int { return 0 }
func run() -> Int {
    func f() -> Int { return 1 } //= inner
    return f() //> inner
}
""",
    "names: a member precedes a function of the file": """
func f() -> Int { return 0 }
struct A {
    func f() -> Int { return 1 } //= member
    func run() -> Int { return f() } //> member
}
""",
    "names: a variable with a function": """
func f() -> Int { return 0 }
func run() -> Int {
    let f = { 1 }
    return f() //> none
}
""",
    "names: a nested type": """
struct A {
    struct B {
        func f() -> Int { return 1 } //= f
    }
}
func run(b: A.B) -> Int { return b.f() } //> f
""",
    "names: an alias": """
struct A {
    func f() -> Int { return 1 } //= f
}
typealias B = A
func run(b: B) -> Int { return b.f() } //> f
""",
    "names: a static function": """
struct A {
    static func f() -> Int { return 1 } //= f
    func run() -> Int { return A.f() + Self.f() } //> f f
}
""",
    "names: a function after it is called": """
func run() -> Int { return later() } //> later
func later() -> Int { return 1 } //= later
""",
    "overloads: by labels": """
func f(a: Int) -> Int { return a } //= a
func f(b: Int) -> Int { return b } //= b
func run() -> Int {
    let n = f(a: 1) //> a
    return n + f(b: 2) //> b
}
""",
    "overloads: by the number of arguments": """
func f(_ a: Int) -> Int { return a } //= one
func f(_ a: Int, _ b: Int) -> Int { return a + b } //= two
func run() -> Int {
    let n = f(1) //> one
    return n + f(1, 2) //> two
}
""",
    "overloads: by the type of an argument": """
func f(_ a: Int) -> Int { return a } //= whole
func f(_ a: String) -> Int { return a.count } //= text
func run() -> Int {
    let n = f(1) //> whole
    return n + f("a") //> text
}
""",
    "overloads: by structs": """
struct A {}
struct B {}
func f(_ a: A) -> Int { return 1 } //= a
func f(_ b: B) -> Int { return 2 } //= b
func run(a: A, b: B) -> Int {
    let n = f(a) //> a
    return n + f(b) //> b
}
""",
    "overloads: default arguments": """
func f(_ a: Int, b: Int = 2) -> Int { return a + b } //= f
func run() -> Int { return f(1) + f(1, b: 2) } //> f f
""",
    "overloads: any number of arguments": """
func f(_ a: Int...) -> Int { return a.count } //= f
func run() -> Int { return f(1, 2, 3) } //> f
""",
    "overloads: a closure behind the brackets": """
func every(_ n: Int, _ g: (Int) -> Int) -> Int { return g(n) } //= every
func run() -> Int { return every(1) { $0 + 1 } } //> every
""",
    "overloads: the derived class prefers its own": """
class A {}
class B: A {}
func f(_ a: A) -> Int { return 1 }
func f(_ b: B) -> Int { return 2 } //= derived
func run(b: B) -> Int { return f(b) } //> derived
""",
    "types: a method": """
struct A {
    func f() -> Int { return 1 } //= f
}
func run(a: A) -> Int { return a.f() } //> f
""",
    "types: an initialiser": """
struct A { //= A
    init(n: Int) {} //= make
    func f() -> Int { return 1 } //= f
}
func run() -> Int { return A(n: 1).f() } //> A make f
""",
    "types: initialisers by labels": """
struct A { //= A
    init(n: Int) {} //= n
    init(text: String) {} //= text
}
func run() {
    _ = A(n: 1) //> A n
    _ = A(text: "a") //> A text
}
""",
    "types: an initialiser calls another": """
struct A {
    init(n: Int) {} //= n
    init() { self.init(n: 1) } //> n
}
""",
    "types: self": """
struct A {
    func f() -> Int { return 1 } //= f
    func run() -> Int { return self.f() } //> f
}
""",
    "types: a property with a type": """
struct A {
    func f() -> Int { return 1 } //= f
}
struct B {
    let a: A
    func run() -> Int { return a.f() } //> f
}
""",
    "types: a property with a value": """
struct A { //= A
    func f() -> Int { return 1 } //= f
}
struct B {
    let a = A() //> A
    func run() -> Int { return a.f() } //> f
}
""",
    "types: a computed property": """
struct A {
    func f() -> Int { return 1 } //= f
    var n: Int { return f() } //> f
}
""",
    "types: a static property": """
struct A {
    static let one = A()
    func f() -> Int { return 1 } //= f
}
func run() -> Int { return A.one.f() } //> f
""",
    "types: what may be missing": """
struct A {
    func f() -> Int { return 1 } //= f
}
func run(a: A?) -> Int { return a?.f() ?? a!.f() } //> f f
""",
    "types: a chain": """
struct A {
    func set(_ n: Int) -> A { return self } //= set
    func end() -> Int { return 1 } //= end
}
func run(a: A) -> Int { return a.set(1).set(2).end() } //> set set end
""",
    "types: a tuple": """
struct A {
    func f() -> Int { return 1 } //= f
}
func run(two: (A, A)) -> Int {
    let (a, b) = two
    return a.f() + b.f() //> f f
}
func named() -> Int {
    let two = (1, second: A())
    return two.second.f() //> f
}
""",
    "inheritance: a method of the base": """
class A {
    func f() -> Int { return 1 } //= f
}
class B: A {}
func run(b: B) -> Int { return b.f() } //> f
""",
    "inheritance: super": """
class A {
    func f() -> Int { return 1 } //= base
}
class B: A {
    override func f() -> Int { return super.f() } //> base
}
""",
    "inheritance: the initialiser of the base": """
class A {
    init(n: Int) {} //= make
}
class B: A {
    init() { super.init(n: 1) } //> make
}
""",
    "inheritance: a class function": """
class A {
    class func f() -> Int { return 1 } //= f
}
class B: A {}
func run() -> Int { return B.f() } //> f
""",
    "protocols: a requirement": """
protocol P {
    func f() -> Int //= f
}
func run(p: P) -> Int { return p.f() } //> f
""",
    "protocols: any and some": """
protocol P {
    func f() -> Int //= f
}
func run(p: any P, q: some P) -> Int { return p.f() + q.f() } //> f f
""",
    "protocols: a body in an extension": """
protocol P {}
extension P {
    func f() -> Int { return 1 } //= f
}
struct A: P {}
func run(a: A) -> Int { return a.f() } //> f
""",
    "protocols: of a protocol": """
protocol P {
    func f() -> Int //= f
}
protocol Q: P {}
func run(q: Q) -> Int { return q.f() } //> f
""",
    "protocols: two at once": """
protocol P {
    func f() -> Int //= f
}
protocol Q {
    func g() -> Int //= g
}
func run(p: P & Q) -> Int { return p.f() + p.g() } //> f g
""",
    "protocols: a call in an extension": """
protocol P {
    func f() -> Int //= f
}
extension P {
    func run() -> Int { return f() } //> f
}
""",
    "extensions: a method": """
struct A {}
extension A {
    func f() -> Int { return 1 } //= f
}
func run(a: A) -> Int { return a.f() } //> f
""",
    "extensions: what they see": """
struct A {
    func f() -> Int { return 1 } //= f
}
extension A {
    func run() -> Int { return f() + self.f() } //> f f
}
""",
    "extensions: a static function": """
struct A {}
extension A {
    static func make() -> A { return A() } //= make
}
func run() -> A { return A.make() } //> make
""",
    "extensions: an initialiser": """
struct A {} //= A
extension A {
    init(n: Int) { self.init() } //= make
}
func run() -> A { return A(n: 1) } //> A make
""",
    "enums: a method": """
enum E {
    case one
    func f() -> Int { return 1 } //= f
}
func run() -> Int { return E.one.f() } //> f
""",
    "enums: a value of a case": """
struct A {
    func f() -> Int { return 1 } //= f
}
enum E {
    case one(A)
}
func run(e: E) -> Int {
    switch e {
    case .one(let a): return a.f() //> f
    }
}
""",
    "enums: the type is expected": """
enum E {
    case one
    static func make() -> E { return .one } //= make
}
func run() -> E { return .make() } //> make
""",
    "generics: the argument is the result": """
struct A {
    func f() -> Int { return 1 } //= f
}
func same<T>(_ t: T) -> T { return t } //= same
func run(a: A) -> Int { return same(a).f() } //> same f
""",
    "generics: a type that holds": """
struct A {
    func f() -> Int { return 1 } //= f
}
struct Box<T> {
    let value: T
}
func run(box: Box<A>) -> Int { return box.value.f() } //> f
""",
    "generics: a bound": """
protocol P {
    func f() -> Int //= f
}
func run<T: P>(t: T) -> Int { return t.f() } //> f
""",
    "generics: a bound behind the head": """
protocol P {
    func f() -> Int //= f
}
func run<T>(t: T) -> Int where T: P { return t.f() } //> f
""",
    "generics: elements of an array": """
struct A {
    func f() -> Int { return 1 } //= f
}
func run(many: [A]) -> Int {
    for a in many { _ = a.f() } //> f
    return many[0].f() //> f
}
""",
    "generics: values of a dictionary": """
struct A {
    func f() -> Int { return 1 } //= f
}
func run(many: [String: A]) -> Int { return many["a"]!.f() } //> f
""",
    "flow: if let": """
struct A {
    func f() -> Int { return 1 } //= f
}
func run(a: A?) -> Int {
    if let a = a { return a.f() } //> f
    if let a { return a.f() } //> f
    return 0
}
""",
    "flow: guard let": """
struct A {
    func f() -> Int { return 1 } //= f
}
func run(a: A?) -> Int {
    guard let b = a else { return 0 }
    return b.f() //> f
}
""",
    "flow: a cast": """
class A {}
class B: A {
    func f() -> Int { return 1 } //= f
}
func run(a: A) -> Int {
    if let b = a as? B { return b.f() } //> f
    return (a as! B).f() //> f
}
""",
    "flow: a cast in switch": """
class A {}
class B: A {
    func f() -> Int { return 1 } //= f
}
func run(a: A) -> Int {
    switch a {
    case let b as B: return b.f() //> f
    default: return 0
    }
}
""",
    "flow: a condition chooses": """
struct A {
    func f() -> Int { return 1 } //= f
}
func run(a: A, b: A, c: Bool) -> Int { return (c ? a : b).f() } //> f
""",
    "flow: try": """
func f() throws -> Int { return 1 } //= f
func run() -> Int { return (try? f()) ?? 0 } //> f
""",
    "flow: defer": """
func f() {} //= f
func run() {
    defer { f() } //> f
}
""",
    "closures: a call in the body": """
func f() -> Int { return 1 } //= f
func run() -> () -> Int { return { f() } } //> f
""",
    "closures: a parameter with a type": """
struct A {
    func f() -> Int { return 1 } //= f
}
func run() -> (A) -> Int { return { (a: A) in a.f() } } //> f
""",
    "closures: the type of a parameter is expected": """
struct A {
    func f() -> Int { return 1 } //= f
}
func use(_ g: (A) -> Int) {} //= use
func run() {
    use { $0.f() } //> f use
    use { a in a.f() } //> f use
}
""",
    "closures: self in a list": """
class A {
    func f() -> Int { return 1 } //= f
    func run() -> () -> Int { return { [unowned self] in self.f() } } //> f
}
""",
    "tasks: await": """
func f() async -> Int { return 1 } //= f
func run() async -> Int { return await f() } //> f
""",
    "tasks: an actor": """
actor A {
    func f() -> Int { return 1 } //= f
}
func run(a: A) async -> Int { return await a.f() } //> f
""",
}
