export * from './base'
export { type Opened as Open } from './base'
