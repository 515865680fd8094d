enum Kind {
  Text,
  List,
}

class Text {
  readonly kind = Kind.Text

  print() {
    return 1
  }
}

class List {
  readonly kind = Kind.List

  print() {
    return 2
  }
}

export function run(node: Text | List) {
  if (node.kind === Kind.Text) return node.print()
  return node.print()
}
