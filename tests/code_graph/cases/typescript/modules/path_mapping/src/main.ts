import { App } from '@app/application'
import { log } from '@shared'

log('a')
new App().start()
