public protocol Named {
    var name: String { get }
    func greet() -> String
}

public protocol Feedable: Named {
    func feed(_ food: Food)
}

open class Animal: Feedable {
    public let name: String
    private var stomach = Stomach()

    public init(name: String) {
        self.name = name
        register()
    }

    public convenience init() {
        self.init(name: Animal.defaultName())
    }

    open func speak() -> String {
        return sound().uppercased()
    }

    func sound() -> String { "" }

    public func feed(_ food: Food) {
        stomach.fill(with: food)
        if food.isTasty() { _ = speak() }
    }

    private func register() { Registry.shared.add(self) }

    static func defaultName() -> String { "animal" }

    deinit { stomach.empty() }
}

public final class Dog: Animal {
    override func sound() -> String { "wuff" }

    public override func speak() -> String {
        let text = super.speak()
        wag(times: 2)
        return text
    }

    func wag(times: Int) {
        for _ in 0..<times { tail.move() }
    }

    private lazy var tail = Tail()
}
