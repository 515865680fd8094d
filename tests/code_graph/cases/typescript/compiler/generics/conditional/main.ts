class Text {
  upper() {
    return 1
  }
}

class List {
  add() {
    return 1
  }
}

type Of<T> = T extends string ? Text : List
type Inner<T> = T extends Promise<infer U> ? U : T

declare function make<T>(value: T): Of<T>
declare function wait<T>(value: T): Inner<T>

export function run(text: string, later: Promise<List>) {
  make(text).upper()
  make(1).add()
  wait(later).add()
}
