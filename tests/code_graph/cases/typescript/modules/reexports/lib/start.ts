import { Parser } from '.'

export default function start() {
  new Parser().run()
}
