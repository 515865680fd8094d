export function add(a: number, b: number) {
  return check(a) + check(b)
}

function check(value: number) {
  return value
}
