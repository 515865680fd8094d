function logged(value: unknown, context: unknown) {
  return undefined
}

function named(name: string) {
  return (value: unknown, context: unknown) => undefined
}

@logged
@named('job')
export class Job {
  @logged
  run() {
    return this.stop()
  }

  @named('stop')
  stop() {
    return 1
  }
}
