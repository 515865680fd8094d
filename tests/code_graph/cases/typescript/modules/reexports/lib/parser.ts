import { format } from './format'

export class Parser {
  run() {
    return parse('x')
  }
}

export function parse(text: string) {
  return format(text)
}
