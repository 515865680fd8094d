interface Handlers {
  open(name: string): void
  close(): void
}

type Optional<T> = { [K in keyof T]?: T[K] }
type Getters<T> = { [K in keyof T]: () => T[K] }

interface Config {
  host: Host
}

class Host {
  ping() {
    return 1
  }
}

export function run(some: Optional<Handlers>, frozen: Readonly<Handlers>, get: Getters<Config>) {
  some.open?.('a')
  frozen.close()
  get.host().ping()
}
