export * from './list'
export { default as reset, push as append } from './list'
export * as list from './list'
