export * from './parser'
export { format } from './format'
export { inner as helper } from './helpers'
export { default as begin } from './start'
