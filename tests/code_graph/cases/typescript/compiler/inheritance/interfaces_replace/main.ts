interface Reader {
  read(): string
  size: number
}

class Memory implements Reader {
  size = 1

  read() {
    return 'a'
  }
}

class Logged extends Memory {
  override read() {
    return super.read()
  }
}

export const reader: Reader = new Logged()
reader.read()
