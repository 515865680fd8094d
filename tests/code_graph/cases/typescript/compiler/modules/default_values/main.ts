import make, { type Made } from './make'
import Anonymous from './anonymous'
import limits from './limits'

export function run(made: Made) {
  make().done()
  made.done()
  new Anonymous().start()
  limits.check(1)
}
