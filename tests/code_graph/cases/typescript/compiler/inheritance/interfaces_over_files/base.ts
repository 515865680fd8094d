export interface Closeable {
  close(): void
}

export interface Opened<T> extends Closeable {
  value(): T
}
