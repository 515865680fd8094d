import Foundation
@testable import struct Shop.Item
import Shop.Parts

/// What is sold.
///
/// - Parameter T: the kind
@MainActor
@available(*, deprecated, message: "use another")
public final class Order<T>: Base<T>, Shop.Sellable where T: Hashable {
  static let shared = Order(), limit: Int = 10
  @Published private(set) var count: Int = 1 { didSet { changed(count) } }
  /** Its total. */
  var total: Int { get { let sum = 1; return sum + limit } set { count = newValue } }
  lazy var maker = { Factory() }()
  let (first, second) = (1, 2)
  weak var owner: Person?

  /// Makes one.
  public init?(id: Int, _ name: String = "") throws { super.init(id) }
  convenience init() { self.init(id: 1) }
  deinit { close() }
  subscript(index: Int) -> Item { items[index] }

  @discardableResult
  class func make<U>(with u: U, rest: Int...) async throws -> Order<U> where U: X {
    guard let found = Store.shared.find(u)?.first else { return .empty }
    func helper() -> Int { found.count }
    items.map { $0.price() }
    return Order<U>(id: helper())
  }
  static func + (left: Order, right: Order) -> Order { left }
  override open func refresh() {}
  typealias Key = String
  indirect enum Tree: String, Codable {
    case leaf, node = "x"
    case pair(Int, other: Tree)
    var isLeaf: Bool { self == .leaf }
  }
}

struct Pair { var left, right: Int; mutating func swap() {} }
actor Counter { private var value = 0 }
protocol Shape: AnyObject, Drawable {
  associatedtype Unit: Measure
  var area: Double { get }
  static var count: Int { get set }
  func scale(by factor: Double) -> Unit
  init()
}
extension Order: Shape, CustomStringConvertible where T == Int {
  var description: String { "order" }
}
extension Shop.Item { }

infix operator <+>: AdditionPrecedence
precedencegroup Sum { associativity: left }
func <+> (left: Int, right: Int) -> Int { left + right }
let handler: (Int) -> Void = { value in print(value) }
var global = Order<Int>.shared
macro stringify<T>(_ value: T) -> (T, String) = #externalMacro(module: "M", type: "T")

#if os(iOS) && DEBUG
func onlyOnPhones() { let local = 1 }
class Phone {
  #if FAST
  func fast() {}
  #else
  func slow() {}
  #endif
}
#endif
