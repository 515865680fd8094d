import Foundation
import struct Foo.Bar
@testable import Mod
@objc(name) public final class A<T: P, U>: Base<T>, Proto, Mod.Other where U: Q {
  @Published private(set) var a: [String: Int] = [:], b = 3
  let c: Foo?; static let shared = A()
  lazy var l: Int = { return self.x }()
  var comp: Int { get { return a } set(nv) { b = nv } }
  var short: Int { c!.x }
  var obs: Int = 0 { willSet { f(newValue) } didSet { g(oldValue) } }
  init?(x y: Int, _ z: @escaping (Int, String) throws -> Void = { _, _ in }) { super.init(); self.a = y }
  deinit { go() }
  func run<V>(with v: V, others: Int...) async throws -> [Foo<V>]? where V: R {
    guard let u = c, let w = u as? Bar else { return nil }
    if let c { c.x() } else if case .some(let k) = v, k is Foo { k.z() }
    switch v { case let x as Foo: x.go(); case .a(let p, q: let r): p.z(r); case is Bar, .none: break; case 1...3 where y: fallthrough; default: () }
    for (i, e) in xs.enumerated() where e.ok { e.call() }
    for case let x? in ys {}
    while let n = it.next() { }
    repeat { z() } while y
    do { try foo(); try? bar(); try! baz() } catch let e as Err { e.x } catch { print(error) }
    let cl = { [weak self] (a: Int, b) -> Int in self?.go(a) }
    list.map { $0.x }.filter(\.ok).reduce(0) { $0 + $1 }
    foo(a: 1, 2) { x in x } done: { }
    a.b?.c!.d[0] = 3; x += 1; let (m, n) = t; let ar: [Foo] = [a, b]; let d = ["k": v, "j": w]
    [Foo](); Int(x); x ?? y; a ? b : c; (1, name: 2); A.self; type(of: x); #selector(A.run); \A.b.c; "s \(foo(x))"; await go(); .leading; view.x(.red); !a; -b; &c; self[0]; x as! Foo; x is Foo; defer { z() }
    return try await g(x)
  }
  subscript(i: Int) -> Foo { get { x } }
  enum E: String, Codable { case a, b = "x"; indirect case c(Int, n: Foo) }
  struct S { var x: Int; func m() -> some View { Text("x") } }
  typealias T2 = (A, B) -> C
}
extension A.S: Proto where T: Foo { func ext() {} }
protocol P: AnyObject, Q { associatedtype X: R; var p: Int { get set }; func q(_ a: X) -> Self; init(z: Int) }
actor Act { nonisolated func f() {} }
func top(_ a: inout Foo, b: any P & Q) -> (Int, Foo) {}
let global: Foo = .init(x: 1)
infix operator +++
public macro Foo() = #externalMacro(module: "x", type: "y")
#if os(iOS)
func cond() {}
#else
func cond2() {}
#endif
@main struct Main {}
