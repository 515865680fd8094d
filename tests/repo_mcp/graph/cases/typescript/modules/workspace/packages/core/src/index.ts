export { Client } from './client'
