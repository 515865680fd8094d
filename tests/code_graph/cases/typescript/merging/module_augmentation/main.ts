import './plugin'
import { Store } from './store'

const store = new Store()
store.clear()
store.get()
