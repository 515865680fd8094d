function memoize<A extends unknown[], R>(compute: (...values: A) => R) {
  return (...values: A) => compute(...values)
}

function slow(value: number) {
  return value
}

export const fast = memoize((value: number) => slow(value))

fast(1)
