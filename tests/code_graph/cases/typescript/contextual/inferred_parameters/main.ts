class Store {
  read() {}
}

class Merger {
  merge(target: object) {
    return target
  }
}

type Reconcile = (this: Merger, target: object) => object

interface Wrapped<TArgs extends unknown[], TResult> {
  (...args: TArgs): TResult
  forget(...args: TArgs): void
}

declare function wrap<TArgs extends unknown[], TResult>(
  run: (...args: TArgs) => TResult,
  options?: { key?: (...args: TArgs) => string },
): Wrapped<TArgs, TResult>

export const reconcile: Reconcile = function (target) {
  return this.merge(target)
}

export class Reader {
  private execute: (store: Store, depth: number) => void

  constructor() {
    this.execute = wrap(
      (store) => {
        store.read()
      },
      { key: (store) => String(store.read()) },
    )
  }
}

class Source<T> {
  constructor(protected subscribe: (observer: { next(value: T): void }, store: T) => void) {}
}

export class Stores extends Source<Store> {
  constructor() {
    super((_observer, store) => store.read())
  }
}
