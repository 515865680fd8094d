class Scheduler {
  flush() {}
}

export class Action {
  closed = false

  constructor(
    protected readonly scheduler: Scheduler,
    work: () => void,
  ) {
    scheduler.flush()
    work()
  }

  execute() {
    if (this.closed) {
      return
    }
    this.run()
    this.scheduler.flush()
  }

  private run() {}
}
