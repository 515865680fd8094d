type Constructor = new (...args: any[]) => object

function Timed<Base extends Constructor>(base: Base) {
  return class extends base {
    stamp() {
      return now()
    }
  }
}

function now() {
  return 1
}

class Plain {
  show() {
    return 1
  }
}

const Named = class {
  hello() {
    return now()
  }
}

class Timestamped extends Timed(Plain) {
  run() {
    this.stamp()
    return this.show()
  }
}

new Named().hello()
new Timestamped().run()
