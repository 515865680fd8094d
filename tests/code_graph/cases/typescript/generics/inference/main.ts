class Box<T> {
  constructor(private value: T) {}

  get(): T {
    return this.value
  }

  map<R>(change: (value: T) => R): Box<R> {
    return new Box(change(this.get()))
  }
}

class Apple {
  eat() {
    return new Seed()
  }
}

class Seed {
  plant() {
    return 1
  }
}

function identity<T>(value: T): T {
  return value
}

function first<T>(values: T[]): T | undefined {
  return values[0]
}

function create<T>(kind: new () => T): T {
  return new kind()
}

export function run() {
  new Box(new Apple()).get().eat().plant()
  new Box(new Apple()).map((apple) => apple.eat()).get().plant()
  identity(new Apple()).eat()
  first([new Seed()])?.plant()
  create(Apple).eat()
}
