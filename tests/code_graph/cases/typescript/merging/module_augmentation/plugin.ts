import { Store } from './store'

declare module './store' {
  interface Store {
    clear(): void
  }
}

Store.prototype.clear = function () {
  this.get()
}
