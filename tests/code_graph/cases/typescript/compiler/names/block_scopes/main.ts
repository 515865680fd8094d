function pick() {
  return 'outer'
}

export function run(flag: boolean) {
  if (flag) {
    const pick = () => 'inner'
    pick()
  }
  {
    function pick() {
      return 'block'
    }
    pick()
  }
  return pick()
}
