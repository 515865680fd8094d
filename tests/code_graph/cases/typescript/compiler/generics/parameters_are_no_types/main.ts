import { Alias } from './alias'

type Join<Alias extends string> = `${Alias}.id`
type Twice<Raw, Same = Raw> = [Raw, Same]

export function run<Alias extends string = 'a'>(name: Join<Alias>, pair: Twice<string>) {
  return name + pair.length
}

export function use(alias: Alias) {
  return alias.go()
}
