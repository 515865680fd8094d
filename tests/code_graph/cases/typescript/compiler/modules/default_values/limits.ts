export default {
  check(value: number) {
    return value < 10
  },
}
