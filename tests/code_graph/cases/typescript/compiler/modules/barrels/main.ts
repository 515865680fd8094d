import { append, list, pop, reset } from './core'
import * as core from './core'
import clear from './core/list'

export function run() {
  append()
  pop()
  reset()
  clear()
  list.push()
  core.list.pop()
  core.append()
}
