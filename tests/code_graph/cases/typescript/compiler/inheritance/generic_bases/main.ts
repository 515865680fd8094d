class Item {
  open() {
    return 1
  }
}

class Collection<T> {
  first(): T {
    throw new Error()
  }
}

interface Source<T> {
  next(): T
}

class Items extends Collection<Item> implements Source<Item> {
  next() {
    return this.first()
  }
}

export function run(items: Items, source: Source<Item>) {
  items.first().open()
  items.next().open()
  source.next().open()
}
