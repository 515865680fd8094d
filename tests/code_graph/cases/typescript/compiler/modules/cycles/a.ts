import { odd } from './b'

export function even(value: number): boolean {
  return value === 0 || odd(value - 1)
}
