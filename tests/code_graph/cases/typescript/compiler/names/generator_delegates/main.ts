function* first() {
  yield 1
}

function* second() {
  yield* first()
  yield make()
}

function make() {
  return 2
}

export function run() {
  return [...second()]
}
