abstract class Animal {
  constructor(protected name: string) {
    this.register()
  }

  live() {
    this.eat()
    return this.sound()
  }

  protected eat() {
    return this.name
  }

  abstract sound(): string

  private register() {
    Animal.count()
  }

  static count() {
    return 1
  }
}

class Dog extends Animal {
  constructor() {
    super('dog')
    this.wag()
  }

  override eat() {
    return super.eat() + this.chew()
  }

  sound() {
    return 'woof'
  }

  private chew() {
    return ''
  }

  wag = () => {
    this.sound()
  }

  static create() {
    return new this()
  }
}

export function run() {
  const dog = new Dog()
  dog.live()
  dog.wag()
  Dog.count()
  Dog.create().sound()
}
