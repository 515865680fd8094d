import { run as start } from './jobs'

export { start as begin, start as default }

export const again = start

again()
start()
