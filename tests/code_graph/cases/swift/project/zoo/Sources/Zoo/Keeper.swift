public struct Keeper<Pet: Feedable> {
    let pet: Pet
    var onDone: (() -> Void)?

    public init(pet: Pet) { self.pet = pet }

    public func care() async throws -> String {
        pet.feed(Food(taste: .good))
        try await clean()
        onDone?()
        return pet.greet()
    }

    private func clean() async throws {}
}

func makeDog() -> Dog { Dog(name: "Rex") }

public func run() async {
    let keeper = Keeper(pet: makeDog())
    _ = try? await keeper.care()
    let dog = makeDog()
    dog.walk()
    guard let first = Registry.shared.all().first else { return }
    first.walk()
    Registry.shared.all().walkAll()
    print(first.name.shout())
    if let found = first as? Dog { found.wag(times: Taste.random() == .good ? 1 : 2) }
    let names = Registry.shared.all().map { animal in animal.speak() }
    print(names)
}
