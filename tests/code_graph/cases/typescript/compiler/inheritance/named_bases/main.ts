class Base {
  go() {
    return 1
  }
}

const Local = Base
const all = { Base }

class First extends Local {
  go() {
    return super.go()
  }
}

class Second extends all.Base {}

function make() {
  return class Made extends Base {}
}

class Third extends make() {}

export function run(first: First, second: Second, third: Third) {
  first.go()
  second.go()
  third.go()
}
