import { log } from '@shared'

export class App {
  start() {
    log('start')
  }
}
