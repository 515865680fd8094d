export class Alias {
  go() {
    return 1
  }
}
