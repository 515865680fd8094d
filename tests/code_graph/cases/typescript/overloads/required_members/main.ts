class Defined {
  show() {}
}

class Possible {
  check() {}
}

interface Options {
  key: string
  initial?: string
}

interface WithInitial extends Options {
  initial: string
}

declare function query(options: WithInitial & { eager: boolean }): Defined
declare function query(options: Options): Possible
declare function two(first: string, second: string): Defined
declare function two(first: string, second?: string): Possible

export function literals() {
  query({ key: 'a', initial: 'b', eager: true }).show()
  query({ key: 'a', initial: 'b' }).check()
}

export function spread(options: Options) {
  query({ ...options, initial: 'b', eager: false }).show()
  query({ ...options }).check()
  query(options).check()
}

export function counted() {
  two('a', 'b').show()
  two('a').check()
}
