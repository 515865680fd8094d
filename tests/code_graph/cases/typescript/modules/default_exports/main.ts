import Store, { open } from './store'
import run from './run'
import config from './config'

const store = new Store()
store.save()
open().save()
run(store)
config.load()
