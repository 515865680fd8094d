interface Logger {
  log(text: string): void
}

interface FileLogger extends Logger {
  flush(): void
}

class Disk implements FileLogger {
  log(text: string) {
    this.write(text)
  }

  flush() {
    return undefined
  }

  private write(text: string) {
    return text
  }
}

class Service {
  constructor(
    private readonly logger: Logger,
    public files: FileLogger = new Disk(),
  ) {}

  run() {
    this.logger.log('a')
    this.files.log('b')
    this.files.flush()
  }
}

export const service = new Service(new Disk())
service.run()
service.files.flush()
