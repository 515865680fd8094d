class Registry {
  static create() {
    return new this()
  }

  static shared = Registry.create()

  add() {
    return Registry.shared
  }
}

class Named extends Registry {
  static create() {
    return super.create()
  }
}

export function run() {
  Named.create().add()
  Registry.shared.add().add()
}
