class Alpha {
  go() {
    return 1
  }
}

class Beta {
  stop() {
    return 1
  }
}

interface Box<T = Alpha, U = T> {
  value(): T
  other(): U
}

export function run(a: Box, b: Box<Beta>, c: Box<Alpha, Beta>) {
  a.value().go()
  a.other().go()
  b.value().stop()
  b.other().stop()
  c.other().stop()
}
