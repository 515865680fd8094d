class Text {
  upper() {
    return 1
  }
}

class Numeric {
  round() {
    return 1
  }
}

export function convert(value: string): Text
export function convert(value: number): Numeric
export function convert(value: string | number): Text | Numeric {
  return typeof value === 'string' ? new Text() : new Numeric()
}

class Query {
  get(name: string): Text
  get(index: number): Numeric
  get(key: string | number): Text | Numeric {
    return convert(key as string)
  }
}

export function run(query: Query) {
  convert('a').upper()
  convert(1).round()
  query.get('a').upper()
  query.get(1).round()
}
