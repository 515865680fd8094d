class Apple {
  eat() {
    return 1
  }
}

function identity<T>(value: T): T {
  return value
}

function first<T>(values: T[]): T {
  return values[0]
}

function pair<A, B>(a: A, b: B): [A, B] {
  return [a, b]
}

export function run(apple: Apple) {
  identity(apple).eat()
  first([apple]).eat()
  const [one, two] = pair(apple, first)
  one.eat()
  two([apple]).eat()
}
