class Meter {
  #value = 0

  #bump() {
    this.#value += 1
    return this
  }

  tick() {
    return this.#bump().#bump()
  }

  get reading(): Reading {
    return this.make()
  }

  set reading(next: Reading) {
    next.show()
  }

  private make() {
    return new Reading()
  }
}

class Reading {
  show() {
    return 1
  }
}

export function run(meter: Meter) {
  meter.tick()
  meter.reading.show()
  meter.reading = new Reading()
}
