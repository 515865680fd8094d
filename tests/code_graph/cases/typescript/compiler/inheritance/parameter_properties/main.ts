class Engine {
  start() {
    return 1
  }
}

class Car {
  constructor(
    private readonly engine: Engine,
    public spare = new Engine(),
  ) {
    this.engine.start()
  }

  go() {
    this.engine.start()
    return this.spare.start()
  }
}

new Car(new Engine()).go()
