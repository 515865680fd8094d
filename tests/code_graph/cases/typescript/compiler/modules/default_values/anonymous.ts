export default class {
  start() {
    return 1
  }
}
