export function check(value: string, options: { strict: true; fail(): void }): string
export function check(value: number, options: { strict: false; fail(): void }): number
export function check(value: unknown, options: { strict: boolean; fail(): void }): unknown {
  options.fail()
  return value
}

check('a', { strict: true, fail: () => undefined })
