import type * as all from './index'
import { type Closeable, type Open } from './index'

export class File implements Open<string>, all.Closeable {
  close() {
    return undefined
  }

  value() {
    return ''
  }
}

export interface Socket extends Closeable, all.Opened<number> {
  send(): void
}

export function run(file: File, socket: Socket) {
  file.value()
  socket.value()
  socket.close()
}
