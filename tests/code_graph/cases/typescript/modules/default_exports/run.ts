import Store from './store'

const run = (store: Store) => store.save()

export default run
