class Text {
  upper() {
    return this
  }
}

class Numeric {
  round() {
    return this
  }
}

interface Convert {
  (value: string): Text
  (value: number): Numeric
}

declare const convert: Convert

interface Store {
  get(name: string): Text
  get(index: number): Numeric
}

export function run(store: Store) {
  convert('a').upper()
  convert(1).round()
  store.get('a').upper()
  store.get(1).round()
}
