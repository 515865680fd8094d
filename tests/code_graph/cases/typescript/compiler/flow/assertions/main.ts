class User {
  name() {
    return 'a'
  }
}

function assertUser(value: unknown): asserts value is User {
  if (!(value instanceof User)) throw new Error()
}

function invariant(test: unknown, message: string): asserts test {
  if (!test) throw new Error(message)
}

export function run(value: unknown, other: unknown) {
  assertUser(value)
  value.name()
  invariant(other instanceof User, 'no user')
  return other.name()
}
