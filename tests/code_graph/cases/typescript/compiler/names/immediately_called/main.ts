function once() {
  return 1
}

export const value = (() => {
  function local() {
    return once()
  }
  return local()
})()

;(function setUp() {
  once()
})()
