interface Named {
  label(): string
}

class Person implements Named {
  label() {
    return 'a'
  }

  greet() {
    return this.label()
  }
}

function longest<T extends Named>(a: T, b: T): T {
  return a.label() > b.label() ? a : b
}

export function run(a: Person, b: Person) {
  return longest(a, b).greet()
}
