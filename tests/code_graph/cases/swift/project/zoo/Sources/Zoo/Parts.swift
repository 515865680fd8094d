public struct Food {
    let taste: Taste

    func isTasty() -> Bool {
        switch taste {
        case .good: return true
        case .bad: return Food.forced()
        }
    }

    static func forced() -> Bool { false }
}

enum Taste {
    case good, bad

    static func random() -> Taste { .good }
}

struct Stomach {
    private var items: [Food] = []

    mutating func fill(with food: Food) {
        items.append(food)
        check()
    }

    mutating func empty() { items.removeAll() }

    private func check() {}
}

struct Tail {
    func move() {}
}

final class Registry {
    static let shared = Registry()
    private var animals: [Animal] = []

    func add(_ animal: Animal) { animals.append(animal) }

    func all() -> [Animal] { animals }

    subscript(index: Int) -> Animal { animals[index] }
}
