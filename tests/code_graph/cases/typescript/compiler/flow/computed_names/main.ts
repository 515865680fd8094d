const SIZE = Symbol('size')

class Bag {
  [SIZE]() {
    return 1
  }

  *[Symbol.iterator]() {
    yield this.first()
  }

  first() {
    return new Thing()
  }

  add() {
    return this
  }
}

class Thing {
  use() {
    return 1
  }
}

export function run(bag: Bag) {
  bag.add().add()
  for (const thing of bag) thing.use()
}
