export * as math from './math'
import * as text from './text'
export { text }
