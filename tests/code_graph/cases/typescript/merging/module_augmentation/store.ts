export class Store {
  get() {
    return 1
  }
}
