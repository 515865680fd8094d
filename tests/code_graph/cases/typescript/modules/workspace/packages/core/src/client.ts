export class Client {
  fetch() {
    return this.connect()
  }

  private connect() {
    return 1
  }
}
