class First {
  constructor(readonly name: string) {}

  init() {
    return this.name
  }
}

class Second extends First {
  constructor() {
    super('a')
    this.init()
  }

  init() {
    return super.init()
  }
}

export const second = new Second()
