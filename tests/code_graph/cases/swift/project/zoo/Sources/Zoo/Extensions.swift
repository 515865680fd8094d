extension Named {
    public func greet() -> String { prefix() + name }

    func prefix() -> String { "hello " }
}

extension Animal {
    func walk() {
        step()
        step()
    }

    private func step() {}
}

extension Dog: CustomStringConvertible {
    public var description: String { greet() }
}

extension Array where Element == Animal {
    func walkAll() { forEach { $0.walk() } }
}

extension String {
    func shout() -> String { uppercased() }
}
