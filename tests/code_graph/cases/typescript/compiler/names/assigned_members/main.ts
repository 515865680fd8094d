export function sum(values: number[]) {
  return sum.pair(values[0], values[1])
}

sum.pair = (a: number, b: number) => check(a) + b

function check(value: number) {
  return value
}

sum([1, 2])
sum.pair(1, 2)
