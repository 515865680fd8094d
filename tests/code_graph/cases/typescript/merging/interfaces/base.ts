export interface Options {
  name(): string
}

export interface Options {
  size(): number
}

export class Emitter {
  on() {
    return this
  }
}

export interface Emitter {
  once(): Emitter
}
