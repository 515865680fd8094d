class Emitter {
  emit() {
    return 1
  }
}

interface Emitter {
  on(name: string): this
}

interface Emitter {
  off(): void
}

export function run(emitter: Emitter) {
  emitter.on('a').emit()
  emitter.off()
}
