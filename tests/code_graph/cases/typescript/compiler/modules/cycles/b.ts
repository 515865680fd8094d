import { even } from './a'

export function odd(value: number): boolean {
  return value !== 0 && even(value - 1)
}
