class Base {
  go() {
    return 1
  }
}

export const Named = class extends Base {
  run() {
    return this.go()
  }
}

export const Inner = class Self extends Base {
  again(): Self {
    return new Self()
  }
}

export function run() {
  new Named().run()
  new Inner().again().go()
}
