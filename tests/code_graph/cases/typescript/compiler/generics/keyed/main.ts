class Apple {
  eat() {
    return 1
  }
}

class Pear {
  peel() {
    return 1
  }
}

interface Fruits {
  apple: Apple
  pear: Pear
}

function get<T, K extends keyof T>(from: T, key: K): T[K] {
  return from[key]
}

export function run(fruits: Fruits) {
  get(fruits, 'apple').eat()
  get(fruits, 'pear').peel()
  fruits['apple'].eat()
}
