class Base {
  get name() {
    return this.read()
  }

  set name(value: string) {
    this.write(value)
  }

  read() {
    return ''
  }

  write(value: string) {
    return value
  }
}

class Derived extends Base {
  get name() {
    return super.name
  }

  set name(value: string) {
    super.name = value
  }
}

export const item = new Derived()
item.read()
