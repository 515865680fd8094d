"""More of Swift by chapters of its reference, marked as the cases of `swift_calls`.

`//^` names what a declaration inherits, implements or overrides. What is called on an object of a
protocol or of a type parameter is what the protocol asks for. The marks are what the compiler's
index says.
"""

from __future__ import annotations

from typing import Final

# what is known to be missing
GAPS: Final = {
    "attributes: a wrapper with arguments": "the object of a wrapper has no name of its own",
}

CASES: Final = {
    "names: a local function in a closure": """
func f() -> Int { return 0 } //= f2
func run() -> Int {
    let g = { () -> Int in
        func f() -> Int { return 1 } //= f
        return f() //> f
    }
    return g() + f() //> f2
}
""",
    "names: a variable of the name of the function that sets it": """
func size(_ n: Int) -> Int { return n } //= size
func run() -> Int {
    let size = size(1) //> size
    return size
}
""",
    "names: a type of the name of a function of another case": """
struct Box { //= Box
    func open() -> Int { return 1 } //= open
}
func box() -> Box { return Box() } //= box //> Box
func run() -> Int { return box().open() } //> box open
""",
    "names: a name in backticks": """
enum Kind {
    case `default`
    func `repeat`() -> Int { return 1 } //= repeat
}
func run(kind: Kind) -> Int { return kind.`repeat`() } //> repeat
""",
    "names: a global variable": """
struct A { //= A
    func f() -> Int { return 1 } //= f
}
let shared = A() //> A
func run() -> Int { return shared.f() } //> f
""",
    "names: a nested type hides that of the file": """
struct B {
    func f() -> Int { return 0 }
}
struct A {
    struct B { //= B
        func f() -> Int { return 1 } //= f
    }
    func run() -> Int { return B().f() } //> B f
}
""",
    "names: an alias in a type": """
struct B {
    func f() -> Int { return 1 } //= f
}
struct A {
    typealias Inner = B
    func run(inner: Inner) -> Int { return inner.f() } //> f
}
func run(inner: A.Inner) -> Int { return inner.f() } //> f
""",
    "names: an alias of a function type": """
struct A { //= A
    func f() -> Int { return 1 } //= f
}
typealias Handler = (A) -> Int
func apply(_ handler: Handler) -> Int { return handler(A()) } //= apply //> A
func run() -> Int { return apply { $0.f() } } //> apply f
""",
    "overloads: by label of the second argument": """
func move(_ a: Int, to b: Int) -> Int { return 1 } //= move2
func move(_ a: Int, by b: Int) -> Int { return 2 } //= move
func run() -> Int { return move(1, to: 2) + move(1, by: 2) } //> move move2
""",
    "overloads: by a closure": """
func visit(_ body: (Int) -> Void) {} //= visit
func visit(_ n: Int) {} //= visit2
func run() {
    visit { _ in } //> visit
    visit(1) //> visit2
}
""",
    "overloads: by what is expected": """
struct A {
    func read() -> Int { return 1 } //= read
    func read() -> String { return "" } //= read2
}
func run(a: A) {
    let n: Int = a.read() //> read
    let text: String = a.read() //> read2
    _ = (n, text)
}
""",
    "overloads: a generic one comes last": """
func show<T>(_ value: T) -> Int { return 0 } //= show
func show(_ value: Int) -> Int { return 1 } //= show2
func run() -> Int { return show(1) + show("a") } //> show show2
""",
    "overloads: by the bound of a type parameter": """
protocol P {} //= P
struct A: P {} //= A //^ P
struct B {} //= B
func f<T: P>(_ value: T) -> Int { return 1 } //= f2
func f(_ value: B) -> Int { return 2 } //= f
func run() -> Int { return f(A()) + f(B()) } //> A B f f2
""",
    "overloads: several closures behind a call": """
func run(first: () -> Int, second: () -> Int) -> Int { //= run
    return first() + second()
}
func one() -> Int { return 1 } //= one
func two() -> Int { return 2 } //= two
func all() -> Int { return run { one() } second: { two() } } //> one run two
""",
    "overloads: a long list of parameters": """
func build( //= build
    firstOfTheNumbersThatAreAddedUp: Int = 1, secondOfTheNumbersThatAreAddedUp: Int = 2,
    thirdOfTheNumbersThatAreAddedUp: Int = 3, fourthOfTheNumbersThatAreAddedUp: Int = 4,
    fifthOfTheNumbersThatAreAddedUp: Int = 5, sixthOfTheNumbersThatAreAddedUp: Int = 6,
    seventhOfTheNumbersThatAreAddedUp: Int = 6, eighthOfTheNumbersThatAreAddedUp: Int = 6,
    last: Int = 7
) -> Int {
    return 1
}
func build(other: Int) -> Int { return 2 } //= build2
func run() -> Int { return build(last: 1) + build(other: 1) } //> build build2
""",
    "overloads: static and not": """
struct A {
    static func f() -> Int { return 1 } //= f2
    func f() -> Int { return 2 } //= f
    func run() -> Int { return A.f() + f() + Self.f() } //> f f2 f2
    static func go() -> Int { return f() } //> f2
}
""",
    "overloads: inout": """
struct A { //= A
    mutating func add(_ n: Int) {} //= add
}
func change(_ a: inout A) { a.add(1) } //= change //> add
func run() {
    var a = A() //> A
    change(&a) //> change
}
""",
    "overloads: any number of arguments and a list": """
struct A { //= A
    static func group(_ all: [A]) -> A { return A() } //= group //> A
    static func group(_ all: A...) -> A { return group(all) } //= group2 //> group
}
func run() -> A { return A.group(A(), A()) } //> A A group2
""",
    "overloads: what is asynchronous": """
struct A {
    func load() -> Int { return 1 } //= load2
    func load() async -> Int { return 2 } //= load
}
func run(a: A) async -> Int { return await a.load() } //> load
func go(a: A) -> Int { return a.load() } //> load2
""",
    "overloads: what is unavailable": """
struct A { //= A
    @available(*, unavailable)
    init() { fatalError() }
    init(n: Int = 1, m: Int = 2) {} //= init
}
func run() -> A { return A() } //> A init
""",
    "types: an initialiser that nobody wrote": """
struct A { //= A
    var n: Int
    var text = ""
    func f() -> Int { return n } //= f
}
func run() -> Int { return A(n: 1).f() + A(n: 1, text: "a").f() } //> A A f f
""",
    "types: one of an extension beside it": """
struct A { //= A
    var n: Int
}
extension A {
    init(text: String) { self.init(n: 1) } //= init //> A
}
func run() {
    _ = A(n: 1) //> A
    _ = A(text: "a") //> A init
}
""",
    "types: init by its name": """
struct A {
    init(n: Int) {} //= init
}
func run() -> [A] { return [A.init(n: 1)] + [1, 2].map(A.init) } //> init
""",
    "types: init of the type that is expected": """
struct A {
    init(n: Int) {} //= init
}
func take(_ a: A) {} //= take
func run() -> A {
    take(.init(n: 1)) //> init take
    return .init(n: 2) //> init
}
""",
    "types: an initialiser that may fail": """
struct A { //= A
    init?(n: Int) { return nil } //= init
    func f() -> Int { return 1 } //= f
}
func run() -> Int { return A(n: 1)?.f() ?? 0 } //> A f init
""",
    "types: a subscript's result": """
struct A { //= A
    func f() -> Int { return 1 } //= f
}
struct Box {
    subscript(n: Int) -> A { return A() } //> A
}
func run(box: Box) -> Int { return box[1].f() } //> f
""",
    "types: a lazy property": """
struct A { //= A
    func f() -> Int { return 1 } //= f
}
class B {
    lazy var a = A() //> A
    func run() -> Int { return a.f() } //> f
}
""",
    "types: a property with observers": """
func changed() {} //= changed
struct A {
    var n = 0 { didSet { changed() } } //> changed
}
""",
    "types: a getter and a setter": """
func read() -> Int { return 1 } //= read
func write(_ n: Int) {} //= write
struct A {
    var n: Int { get { return read() } set { write(newValue) } } //> read write
}
""",
    "types: a property of a closure": """
struct A {
    func f() -> Int { return 1 } //= f
}
struct B {
    let make: () -> A
    func run() -> Int { return make().f() } //> f
}
""",
    "types: a memberwise initialiser takes a closure": """
struct A {
    func f() -> Int { return 1 } //= f
}
struct B { //= B
    let use: (A) -> Int
}
func run() -> B { return B { $0.f() } } //> B f
""",
    "types: a metatype": """
class A {
    class func make() -> Int { return 1 } //= make
    required init() {} //= init
}
func run(type: A.Type) -> Int { //= run
    _ = type.init() //> init
    return type.make() //> make
}
func go() -> Int { return run(type: A.self) } //> run
""",
    "types: callAsFunction": """
struct A {
    func callAsFunction(_ n: Int) -> A { return self }
    func f() -> Int { return 1 } //= f
}
func run(a: A) -> Int { return a.f() } //> f
""",
    "types: a method is a value": """
struct A {
    func f(_ n: Int) -> Int { return n }
}
func apply(_ g: (Int) -> Int) -> Int { return g(1) } //= apply
func run(a: A) -> Int { return apply(a.f) } //> apply
""",
    "types: an operator's result": """
struct A {
    static func + (a: A, b: A) -> A { return a }
    func f() -> Int { return 1 } //= f
}
func run(a: A, b: A) -> Int { return (a + b).f() } //> f
""",
    "types: a key path": """
struct A { //= A
    var n: Int { return 1 }
}
func total(_ all: [A]) -> Int { return all.map(\\.n).reduce(0, +) } //= total
func run() -> Int { return total([A()]) } //> A total
""",
    "inheritance: an initialiser is inherited": """
class A { //= A
    init(n: Int) {} //= make
}
class B: A {} //= B //^ A
func run() -> B { return B(n: 1) } //> B make
""",
    "inheritance: a convenience initialiser is inherited": """
class A { //= A
    init(n: Int) {} //= init
    convenience init(text: String) { self.init(n: 1) } //= init2 //> init
}
class B: A { //= B //^ A
    override init(n: Int) { super.init(n: n) } //> init //^ init
}
func run() -> B { return B(text: "a") } //> B init2
""",
    "inheritance: an override of an override": """
class A { //= A
    func f() -> Int { return 1 } //= f
}
class B: A { //= B //^ A
    override func f() -> Int { return super.f() } //= f2 //> f //^ f
}
class C: B { //^ B
    override func f() -> Int { return super.f() } //= f3 //> f2 //^ f2
}
func run(c: C) -> Int { return c.f() } //> f3
""",
    "inheritance: a property is overridden": """
class A { //= A
    var n: Int { return 1 } //= n
}
class B: A { //^ A
    override var n: Int { return super.n } //^ n
}
func run(b: B) -> Int { return b.n }
""",
    "inheritance: a generic base": """
class A<T> { //= A
    let value: T
    init(_ value: T) { self.value = value }
    func get() -> T { return value } //= get
}
struct X {
    func f() -> Int { return 1 } //= f
}
class B: A<X> {} //^ A
func run(b: B) -> Int { return b.get().f() } //> f get
""",
    "inheritance: self in a static function": """
class A {
    class func make() -> Self { return self.init() } //= make //> init
    required init() {} //= init
}
func run() -> A { return A.make() } //> make
""",
    "protocols: a requirement before its body in an extension": """
protocol P { //= P
    func f() -> Int //= f
}
extension P {
    func f() -> Int { return 1 } //= f2 //^ f
}
struct A: P {} //^ P
func one(p: any P) -> Int { return p.f() } //> f
func two<T: P>(p: T) -> Int { return p.f() } //> f
func three(a: A) -> Int { return a.f() } //> f2
""",
    "protocols: a type's own method before that of an extension": """
protocol P { //= P
    func f() -> Int //= f
}
extension P {
    func f() -> Int { return 1 } //^ f
    func g() -> Int { return f() } //= g //> f
}
struct A: P { //^ P
    func f() -> Int { return 2 } //= f2 //^ f
}
func run(a: A) -> Int { return a.f() + a.g() } //> f2 g
""",
    "protocols: a static requirement": """
protocol P { //= P
    static func make() -> Self //= make
    init(n: Int) //= init2
}
struct A: P { //= A //^ P
    static func make() -> A { return A(n: 1) } //> A init //^ make
    init(n: Int) {} //= init //^ init2
}
func run<T: P>(_ type: T.Type) -> T {
    _ = T(n: 1) //> init2
    return T.make() //> make
}
""",
    "protocols: Self in an extension": """
protocol P { //= P
    func step() -> Self //= step
}
extension P {
    func twice() -> Self { return step().step() } //= twice //> step step
}
struct A: P { //^ P
    func step() -> A { return self } //^ step
    func own() -> Int { return 1 } //= own
}
func run(a: A) -> Int { return a.twice().own() } //> own twice
""",
    "protocols: an associated type": """
protocol Source { //= Source
    associatedtype Item
    func next() -> Item //= next
}
struct X { //= X
    func f() -> Int { return 1 } //= f
}
struct S: Source { //^ Source
    typealias Item = X
    func next() -> X { return X() } //> X //^ next
}
struct Holder<T: Source> {
    let source: T
    func take() -> T.Item { return source.next() } //= take //> next
}
func run(holder: Holder<S>) -> Int { return holder.take().f() } //> f take
""",
    "protocols: an associated type with a bound": """
protocol P {
    func f() -> Int //= f
}
protocol Source {
    associatedtype Item: P
    var item: Item { get }
}
func run<T: Source>(source: T) -> Int { return source.item.f() } //> f
""",
    "protocols: a default for some types": """
protocol P { //= P
    func f() -> Int //= f
}
class Base {} //= Base
extension P {
    func f() -> Int { return 1 } //= f2 //^ f
}
extension P where Self: Base {
    func g() -> Int { return f() } //= g //> f
}
class A: Base, P {} //^ Base P
func run(a: A) -> Int { return a.f() + a.g() } //> f2 g
""",
    "protocols: one with a superclass": """
class Base { //= Base
    func f() -> Int { return 1 } //= f
}
protocol P: Base { //^ Base
    func g() -> Int //= g
}
func run(p: P) -> Int { return p.f() + p.g() } //> f g
""",
    "protocols: a type is made to conform elsewhere": """
protocol P { //= P
    func f() -> Int //= f
}
struct A {
    func f() -> Int { return 1 } //^ f
}
extension A: P {}
func take(_ p: P) -> Int { return p.f() } //= take //> f
func run(a: A) -> Int { return take(a) } //> take
""",
    "protocols: a member of a type from outside": """
protocol Named { //= Named
    var title: String { get } //= title
}
extension Int: Named {
    var title: String { return label(self) } //> label //^ title
}
func label(_ n: Int) -> String { return "" } //= label
func show(_ named: Named) -> String { return named.title } //= show
func run() -> String { return show(1) } //> show
""",
    "protocols: a static member of a protocol's extension": """
protocol Style { //= Style
    func draw() -> Int //= draw
}
struct Plain: Style { //= Plain //^ Style
    func draw() -> Int { return 1 } //^ draw
}
extension Style where Self == Plain {
    static var plain: Plain { return Plain() } //> Plain
}
func paint<S: Style>(_ style: S) -> Int { return style.draw() } //= paint //> draw
func run() -> Int { return paint(.plain) } //> paint
""",
    "protocols: what an initialiser asks for": """
protocol P { //= P
    init() //= init
    func f() -> Int //= f2
}
extension P {
    init(copy: Self) { self.init() } //= init2 //> init
}
struct A: P { //= A //^ P
    func f() -> Int { return 1 } //= f //^ f2
}
func run(a: A) -> Int { return A(copy: a).f() } //> A f init2
""",
    "extensions: a private one with types": """
protocol Rule { //= Rule
    func match() -> Bool //= match
}
struct Grammar {
    func all() -> [Rule] { return [First(), Second()] } //> First Second
}
private extension Grammar {
    struct First: Rule { //= First //^ Rule
        func match() -> Bool { return true } //^ match
    }
    struct Second: Rule { //= Second //^ Rule
        func match() -> Bool { return false } //^ match
    }
}
""",
    "extensions: of a text": """
extension String {
    func shout() -> String { return uppercased() } //= shout
}
func run(text: String) -> String {
    return "a".shout() + text.shout() + "\\(text.shout())" //> shout shout shout
}
""",
    "extensions: of a sequence": """
extension Sequence {
    func count(_ body: (Element) -> Bool) -> Int { return 1 } //= count
}
struct A {
    func ok() -> Bool { return true } //= ok
}
func run(all: [A]) -> Int {
    return all.count { $0.ok() } + Set<Int>().count { _ in true } //> count count ok
}
""",
    "extensions: of a list of a type": """
struct A {
    func f() -> Int { return 1 } //= f
}
extension Array where Element == A {
    func total() -> Int { return map { $0.f() }.reduce(0, +) } //= total //> f
}
func run(all: [A]) -> Int { return all.total() } //> total
""",
    "extensions: an initialiser of a type from outside": """
struct A {}
extension String {
    init(of a: A) { self = "" } //= init
}
func run(a: A) -> String { return String(of: a) } //> init
""",
    "extensions: under conditions": """
struct Box<T> {}
extension Box where T == Int {
    func f() -> Int { return 1 } //= f2
}
extension Box where T == String {
    func f() -> Int { return 2 } //= f
}
func run(one: Box<Int>, two: Box<String>) -> Int { return one.f() + two.f() } //> f f2
""",
    "extensions: under a bound": """
protocol P {} //= P
protocol Q {} //= Q
struct X: P {} //^ P
struct Y: Q {} //^ Q
struct Box<T> {}
extension Box where T: P {
    func f() -> Int { return 1 } //= f
}
extension Box where T: Q {
    func f() -> Int { return 2 } //= f2
}
func run(one: Box<X>, two: Box<Y>) -> Int { return one.f() + two.f() } //> f f2
""",
    "extensions: of a nested type": """
enum Names {
    struct Inner {}
}
extension Names.Inner {
    func f() -> Int { return 1 } //= f
}
func run(inner: Names.Inner) -> Int { return inner.f() } //> f
""",
    "extensions: static functions of a type that is expected": """
struct Node { //= Node
    static func text(_ text: String) -> Node { return Node() } //= text //> Node
    static func list(_ all: Node...) -> Node { return Node() } //= list //> Node
}
func page(_ all: Node...) -> Node { //= page
    return .list(.text("a"), .list(.text("b"))) //> list list text text
}
func run() -> Node { return page(.text("a"), .list(.text("b"))) } //> list page text text
""",
    "enums: cases with values are made": """
enum Shape {
    case circle(Int), square(side: Int), none //= circle square
    func area() -> Int { return 1 } //= area
}
func run() -> Int {
    let all: [Shape] = [.circle(1), .square(side: 2), .none] //> circle square
    return all[0].area() + Shape.circle(1).area() //> area area circle
}
""",
    "enums: a case in a case": """
enum Name {
    case short(String), long(String) //= long short
}
enum Part {
    case option(Name), value(String) //= option
}
func take(_ part: Part) {} //= take
func run() {
    take(.option(.short("a"))) //> option short take
    take(Part.option(.long("b"))) //> long option take
}
""",
    "enums: the value of a case": """
struct A {
    func f() -> Int { return 1 } //= f
}
enum E {
    case a(A), b(first: A, Int)
}
func run(e: E) -> Int {
    switch e {
    case .a(let a): return a.f() //> f
    case .b(let first, _): return first.f() //> f
    }
}
func go(e: E) -> Int {
    if case .a(let a) = e { return a.f() } //> f
    return 0
}
""",
    "enums: a comparison": """
enum E: Equatable {
    case a(Int), b //= a
    static func make() -> E { return .b } //= make
}
func run(e: E) -> Bool { return e == .a(1) || e == .make() } //> a make
""",
    "enums: a static function of the type": """
enum E {
    case a
    static func parse(_ text: String) -> E? { return .a } //= parse
    func f() -> Int { return 1 } //= f
}
func run() -> Int { return E.parse("a")?.f() ?? 0 } //> f parse
""",
    "generics: two parameters": """
struct A { //= A
    func f() -> Int { return 1 } //= f
}
struct B { //= B
    func g() -> Int { return 2 } //= g
}
struct Pair<X, Y> { //= Pair
    let x: X
    let y: Y
}
func run() -> Int {
    let pair = Pair(x: A(), y: B()) //> A B Pair
    return pair.x.f() + pair.y.g() //> f g
}
""",
    "generics: type arguments and a static function": """
struct A { //= A
    func f() -> Int { return 1 } //= f
}
struct Box<T> { //= Box
    let value: T
    static func of(_ value: T) -> Box<T> { return Box(value: value) } //= of //> Box
}
func run() -> Int { return Box<A>.of(A()).value.f() } //> A f of
""",
    "generics: a closure's result": """
struct A { //= A
    func f() -> Int { return 1 } //= f
}
func make<T>(_ body: () -> T) -> T { return body() } //= make
func run() -> Int { return make { A() }.f() } //> A f make
""",
    "generics: the type as an argument": """
struct A {
    init() {} //^ init
    func f() -> Int { return 1 } //= f
}
protocol Made { //= Made
    init() //= init
}
extension A: Made {}
func make<T: Made>(_ type: T.Type) -> T { return T() } //= make //> init
func run() -> Int { return make(A.self).f() } //> f make
""",
    "generics: a closure with the type as an argument": """
struct A {
    var n: Int { return 1 }
    func f() -> Int { return n } //= f
}
func with<T>(_ type: T.Type, _ body: (T) -> Int) -> Int { return 0 } //= with
func run() -> Int { return with(A.self) { a in a.f() } } //> f with
""",
    "generics: some and any": """
protocol P { //= P
    func f() -> Int //= f
}
struct A: P { //= A //^ P
    func f() -> Int { return 1 } //^ f
}
func make() -> some P { return A() } //= make //> A
func run(all: [any P]) -> Int { return make().f() + all[0].f() } //> f f make
""",
    "generics: chains over a list": """
struct A {
    let b: B
    func ok() -> Bool { return true } //= ok
}
struct B {
    func f() -> Int { return 1 } //= f
}
func run(all: [A]) -> [Int] {
    return all.filter { $0.ok() }.map { $0.b }.map { $0.f() } //> f ok
}
func go(all: [A]) -> [Int] {
    return all.sorted { $0.b.f() < $1.b.f() }.compactMap { a in a.b.f() } //> f f f
}
""",
    "generics: pairs of a dictionary": """
struct A {
    func f() -> Int { return 1 } //= f
}
func run(all: [String: A]) -> Int {
    var n = 0
    for (_, a) in all { n += a.f() } //> f
    all.forEach { key, value in n += value.f() } //> f
    return n + (all["a"]?.f() ?? 0) + all.values.first!.f() //> f f
}
""",
    "generics: enumerated and zip": """
struct A {
    func f() -> Int { return 1 } //= f
}
func run(all: [A]) -> Int {
    var n = 0
    for (at, a) in all.enumerated() { n += at + a.f() } //> f
    return n + all.first!.f() + all.last!.f() + all[0].f() //> f f f
}
""",
    "generics: an optional's map": """
struct A {
    func f() -> Int { return 1 } //= f
}
func run(a: A?) -> Int { return a.map { $0.f() } ?? 0 } //> f
""",
    "generics: Result": """
struct A {
    func f() -> Int { return 1 } //= f
}
func run(result: Result<A, Error>) throws -> Int {
    switch result {
    case .success(let a): return a.f() //> f
    case .failure(let error): throw error
    }
}
func go(result: Result<A, Error>) throws -> Int {
    return try result.get().f() //> f
}
""",
    "flow: if let without a value": """
struct A {
    func f() -> Int { return 1 } //= f
}
struct B {
    let a: A?
    func run() -> Int {
        if let a { return a.f() } //> f
        guard let a else { return 0 }
        return a.f() //> f
    }
}
""",
    "flow: a cast that may fail": """
class A {} //= A
class B: A { //^ A
    func f() -> Int { return 1 } //= f
}
func run(a: A) -> Int {
    if let b = a as? B, b.f() > 0 { return (a as! B).f() } //> f f
    return (a as? B)?.f() ?? 0 //> f
}
""",
    "flow: while let": """
struct A {
    func f() -> Int { return 1 } //= f
}
struct It { //= It
    mutating func next() -> A? { return nil } //= next
}
func run() -> Int {
    var it = It(), n = 0 //> It
    while let a = it.next() { n += a.f() } //> f next
    return n
}
""",
    "flow: an iterator of a type": """
struct A {
    func f() -> Int { return 1 } //= f
}
struct All: Sequence {
    func makeIterator() -> It { return It() } //> It
}
struct It: IteratorProtocol { //= It
    mutating func next() -> A? { return nil }
}
func run(all: All) -> Int {
    var n = 0
    for a in all { n += a.f() } //> f
    return n
}
""",
    "flow: errors": """
enum Failure: Error {
    case bad(Int) //= bad
    func code() -> Int { return 1 } //= code
}
func risk() throws -> Int { throw Failure.bad(1) } //= risk //> bad
func run() -> Int {
    do {
        return try risk() //> risk
    } catch let error as Failure {
        return error.code() //> code
    } catch {
        return 0
    }
}
""",
    "flow: a switch's value": """
struct A { //= A
    func f() -> Int { return 1 } //= f
}
func pick(_ n: Int) -> Int {
    let a = switch n { case 0: A(); default: A() } //> A A
    return a.f() //> f
}
""",
    "flow: a tuple is taken apart": """
struct A { //= A
    func f() -> Int { return 1 } //= f
}
struct B { //= B
    func g() -> Int { return 1 } //= g
}
func both() -> (a: A, b: B) { return (A(), B()) } //= both //> A B
func run() -> Int {
    let (a, b) = both() //> both
    return a.f() + b.g() + both().a.f() + both().1.g() //> both both f f g g
}
""",
    "closures: a property that is a function": """
struct A { //= A
    func f() -> Int { return 1 } //= f
}
class B {
    var done: ((A) -> Int)?
    func run() -> Int { return done?(A()) ?? 0 } //> A
}
func set(b: B) { b.done = { a in a.f() } } //> f
""",
    "closures: a parameter that escapes": """
struct A { //= A
    func f() -> Int { return 1 } //= f
}
func load(then body: @escaping (A) -> Void) { body(A()) } //= load //> A
func run() {
    load { a in _ = a.f() } //> f load
    load(then: { _ = $0.f() }) //> f load
}
""",
    "closures: weak self": """
func later(_ body: () -> Void) {} //= later
class A {
    func f() {} //= f
    func run() {
        later { [weak self] in self?.f() } //> f later
        later { [self] in f() } //> f later
    }
}
""",
    "closures: a default that is called": """
func base() -> Int { return 1 } //= base
func run(n: Int = base()) -> Int { return n } //= run //> base
func go() -> Int { return run() } //> run
""",
    "closures: an autoclosure": """
func text() -> String { return "" } //= text
func check(_ ok: Bool, _ message: @autoclosure () -> String) {} //= check
func run() { check(true, text()) } //> check text
""",
    "closures: a builder": """
@resultBuilder struct Builder {
    static func buildBlock(_ all: Int...) -> Int { return 0 }
}
func one() -> Int { return 1 } //= one
func page(@Builder _ body: () -> Int) -> Int { return body() } //= page
func run() -> Int { return page { one(); one() } } //> one one page
""",
    "attributes: a wrapper with arguments": """
@propertyWrapper struct Limit {
    var wrappedValue: Int
    init(wrappedValue: Int, to most: Int) { self.wrappedValue = wrappedValue }
    func f() -> Int { return 1 } //= f
}
struct A {
    @Limit(to: 3) var n = 1
    func run() -> Int { return n + _n.f() } //> f
}
""",
    "attributes: a wrapper by the type of its property": """
@propertyWrapper struct Flag<Value> { //= Flag
    var wrappedValue: Value
}
extension Flag where Value == Bool {
    init(name: String) { self.init(wrappedValue: false) } //= init //> Flag
}
extension Flag {
    init<T>(name: String) where Value == T? { self.init(wrappedValue: nil) } //= init2 //> Flag
}
struct A {
    @Flag(name: "a") var a: Bool //> Flag init
    @Flag(name: "b") var b: Int? //> Flag init2
}
""",
    "tasks: an actor's method": """
actor A {
    func f() -> Int { return 1 } //= f
}
func run(a: A) async throws -> Int {
    async let n = a.f() //> f
    return try await n + a.f() //> f
}
""",
    "conditions: under #if": """
func f() -> Int { return 1 } //= f
#if os(Linux)
func run() -> Int { return f() } //> f
#endif
""",
    "library: a sequence of the tree": """
struct A {
    var n: Int { return 1 }
    func f() -> Int { return 1 } //= f
}
struct All: Sequence {
    struct Iterator: IteratorProtocol { //= Iterator
        mutating func next() -> A? { return nil }
    }
    func makeIterator() -> Iterator { return Iterator() } //> Iterator
}
func run(all: All) -> Int {
    for a in all { _ = a.n }
    let list = Array(all)
    return all.map { $0.f() }.count + list[0].f() + (all.first { $0.n > 0 }?.f() ?? 0) //> f f f
}
""",
    "library: type(of:)": """
class A {
    class func f() -> Int { return 1 } //= f
    func run() -> Int { return type(of: self).f() } //> f
}
""",
    "protocols: a property that is asked for": """
protocol Node { //= Node
    var data: Data { get set } //= data
    var parent: Node? { get } //= parent
}
struct Data {
    var raw: Raw
    func detach() -> Data { return self } //= detach
}
struct Raw {
    var count: Int
}
extension Node {
    var count: Int { return data.raw.count }
    var depth: Int { return (parent?.depth ?? 0) + 1 }
    func detached() -> Data { return data.detach() } //> detach
}
struct Leaf: Node { //^ Node
    var data: Data //^ data
    var parent: Node? { return nil } //^ parent
}
func run(leaf: Leaf, nodes: [Node]) -> Int {
    return leaf.count + leaf.data.raw.count + nodes[0].depth
}
""",
    "protocols: a visitor": """
protocol Visitor { //= Visitor
    associatedtype Out
    mutating func visit(_ leaf: Leaf) -> Out //= visit
    mutating func other(_ node: Node) -> Out //= other
}
extension Visitor {
    mutating func visit(_ leaf: Leaf) -> Out { return other(leaf) } //> other //^ visit
}
protocol Node { //= Node
    func accept<V: Visitor>(_ visitor: inout V) -> V.Out //= accept2
}
struct Leaf: Node { //^ Node
    func accept<V: Visitor>(_ visitor: inout V) -> V.Out { //= accept //^ accept2
        return visitor.visit(self) //> visit
    }
}
struct Text { //= Text
    func f() -> Int { return 1 } //= f
}
struct Count: Visitor { //= Count //^ Visitor
    typealias Out = Text
    mutating func other(_ node: Node) -> Text { return Text() } //= other2 //> Text //^ other
    mutating func visit(_ leaf: Leaf) -> Text { return other(leaf) } //= visit2 //> other2 //^ visit
}
func run(leaf: Leaf) -> Int {
    var count = Count() //> Count
    return leaf.accept(&count).f() + count.visit(leaf).f() //> accept f f visit2
}
""",
    "protocols: a composition by a name": """
protocol P {
    func f() -> Int //= f
}
protocol Q {
    func g() -> Int //= g
}
typealias Both = P & Q
struct A: Both {
    func f() -> Int { return 1 } //^ f
    func g() -> Int { return 2 } //^ g
}
func run(both: Both) -> Int { return both.f() + both.g() } //> f g
""",
    "protocols: an associated type in another": """
protocol Builder { //= Builder
    associatedtype Out
    func build() -> Out //= build
}
protocol Format { //= Format
    associatedtype Made: Builder
    func make() -> Made //= make
}
struct Highlighter<F: Format> { //= Highlighter
    let format: F
    func run() -> F.Made.Out { return format.make().build() } //= run //> build make
}
struct Part {
    func f() -> Int { return 1 } //= f
}
struct ListBuilder: Builder { //= ListBuilder //^ Builder
    func build() -> [Part] { return [] } //^ build
}
struct ListFormat: Format { //= ListFormat //^ Format
    func make() -> ListBuilder { return ListBuilder() } //> ListBuilder //^ make
}
func run() -> Int {
    return Highlighter(format: ListFormat()).run()[0].f() //> Highlighter ListFormat f run
}
""",
    "classes: a nested class and the type around": """
class Outer {
    static func help() -> Int { return 1 } //= help2
    let inner = Inner() //> Inner
    class Inner { //= Inner
        func f() -> Int { return Inner.help() + Outer.help() } //= f //> help help2
        private static func help() -> Int { return 2 } //= help
    }
    func run() -> Int { return inner.f() } //> f
}
""",
    "classes: an unowned property": """
class A {
    unowned let b: B
    init(b: B) { self.b = b }
    func run() -> Int { return b.f() } //> f
}
class B {
    func f() -> Int { return 1 } //= f
}
""",
    "classes: what is assigned later": """
class B { //= B
    func f() -> Int { return 1 } //= f
}
class A {
    var b: B!
    var list: [B] = []
    func run() -> Int {
        b = B() //> B
        list.append(B()) //> B
        return b.f() + list[0].f() //> f f
    }
}
""",
    "returns: by the type of a generic result": """
protocol Readable { //= Readable
    static func read() -> Self //= read
}
extension Int: Readable {
    static func read() -> Int { return make() } //> make //^ read
}
func make() -> Int { return 1 } //= make
struct Box {
    func value<T: Readable>() -> T { return T.read() } //= value //> read
    func value<T: Readable>() -> [T] { return [T.read()] } //= value2 //> read
}
func run(box: Box) {
    let one: Int = box.value() //> value
    let all: [Int] = box.value() //> value2
    _ = (one, all)
}
""",
    "operators: a function of the tree": """
infix operator <+>
struct A {
    func f() -> A { return self } //= f
    static func <+> (a: A, b: A) -> A { return a }
}
func run(a: A) -> A { return (a <+> a.f()).f() } //> f f
""",
    "literals: a type that is written as a text": """
struct Name: ExpressibleByStringLiteral {
    init(stringLiteral text: String) {}
    func f() -> Int { return 1 } //= f
}
func take(_ name: Name) -> Int { return name.f() } //= take //> f
func take(_ n: Int) -> Int { return n } //= take2
func run() -> Int { return take("a") + take(1) } //> take take2
""",
    "literals: a set of options": """
struct Options: OptionSet { //= Options
    let rawValue: Int
    static let one = Options(rawValue: 1) //> Options
    static let two = Options(rawValue: 2) //> Options
}
func take(_ options: Options) {} //= take
func run() {
    take([.one, .two]) //> take
    take(.one) //> take
}
""",
    "returns: a list or nothing of a generic result": """
protocol Readable { static func read() -> Self } //= Readable read
struct A: Readable { //= A //^ Readable
    static func read() -> A { return A() } //> A //^ read
}
struct Box {
    func value<T: Readable>() -> T { return T.read() } //= value //> read
    func value<T: Readable>() -> T? { return nil } //= value2
    func value<T: Readable>() -> [T] { return [] } //= value3
    func value<T: Readable>() -> [T]? { return nil } //= value4
    func value<T: Readable>() -> [T?] { return [] }
}
func one(box: Box) -> A {
    let a: A = box.value() //> value
    return a
}
func maybe(box: Box) -> A? { return box.value() } //> value2
func all(box: Box) -> [A] {
    let all: [A] = box.value() //> value3
    return all
}
func more(box: Box) -> [A]? { return box.value() } //> value4
struct Held {
    let a: A
    let b: A?
    init(box: Box) {
        a = box.value() //> value
        b = box.value() //> value2
    }
}
""",
}
