interface Control<T> {
  value(): T
}

export function watch<T>(control: Control<T>): T
export function watch<T, U>(control: Control<T>, other: U): U
export function watch(): void
export function watch(control?: Control<unknown>, other?: unknown): unknown {
  return control?.value() ?? other
}

class Item {
  use() {
    return 1
  }
}

export function run(control: Control<Item>, item: Item) {
  watch(control).use()
  watch(control, item).use()
  watch()
}
