export function watch(name: string): string
export function watch(names: string[]): string[]
export function watch(names: string | string[]): string | string[] {
  return resolve(names)
}

function resolve<T>(value: T): T {
  return value
}

watch('a')
watch(['a', 'b'])
