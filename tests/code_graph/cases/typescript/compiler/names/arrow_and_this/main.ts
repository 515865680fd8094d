class Counter {
  count = 0

  add = () => {
    this.count += this.step()
  }

  step() {
    return 1
  }

  later() {
    const self = this
    return () => {
      self.add()
      return this.step()
    }
  }
}

export function run(counter: Counter) {
  counter.add()
  counter.later()()
}
