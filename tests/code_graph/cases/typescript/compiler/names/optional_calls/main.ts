interface Hooks {
  before?(): void
  after?: () => void
}

class Runner {
  hooks: Hooks = {}

  run() {
    this.hooks.before?.()
    this.hooks.after?.()
    this.hooks?.before!()
  }
}

export const runner = new Runner()
runner?.run()
