class Leaf {
  paint() {
    return 1
  }
}

class Branch {
  paint() {
    return 2
  }
}

class Root {
  paint() {
    return 3
  }
}

export function run(part: Leaf | Branch | Root) {
  if (part instanceof Leaf || part instanceof Branch) part.paint()
  if (!(part instanceof Leaf) && !(part instanceof Branch)) return part.paint()
  return part.paint()
}
