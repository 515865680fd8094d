import { read } from './reader.js'
import { write } from './writer'

export function copy() {
  return write(read())
}
