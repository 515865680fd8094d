import { Emitter, Options } from './base'

export function use(options: Options, emitter: Emitter) {
  options.name()
  options.size()
  emitter.on().once().on()
}
