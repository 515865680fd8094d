interface Document<TResult> {
  result?: TResult
}

class User {
  rename() {}
}

class Order {
  cancel() {}
}

interface ByName {
  user: User
  order: Order
}

type ResultOf<T> = T extends Document<infer R> ? R : never
type Merged<A, B> = { [K in keyof A]: K extends keyof B ? B[K] : A[K] }
type Handlers<U extends { tag: string }> = { [Each in U as Each['tag']]?: (it: Each) => void }
type First<T extends unknown[]> = T extends [infer Head, ...unknown[]] ? Head : never

interface Opened {
  tag: 'opened'
  user: User
}

interface Closed {
  tag: 'closed'
  order: Order
}

declare const users: Document<User>
declare function read<T>(document: T): ResultOf<T>
declare function find<K extends keyof ByName>(name: K): ByName[K]
declare function on(handlers: Handlers<Opened | Closed>): void
declare function merged(): Merged<{ a: User; b: User }, { b: Order }>

export function conditional() {
  read(users).rename()
}

export function indexed() {
  find('user').rename()
  find('order').cancel()
}

export function renamedKeys() {
  on({
    opened: (it) => it.user.rename(),
    closed(it) {
      it.order.cancel()
    },
  })
}

export function replacedMembers() {
  merged().a.rename()
  merged().b.cancel()
}

export function parts(first: First<[User, Order]>) {
  first.rename()
}
