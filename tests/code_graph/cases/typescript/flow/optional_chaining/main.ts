class Node {
  parent?: Node
  children: Node[] = []
  handlers: { [name: string]: Handler } = {}

  root(): Node {
    return this.parent?.root() ?? this
  }

  child(index: number) {
    return this.children[index]
  }
}

class Handler {
  handle() {
    return 1
  }
}

export function run(node?: Node) {
  node?.root().child(0)?.child(1)!.root()
  node?.handlers['a'].handle()
  node!.handlers.b?.handle()
  ;(node || new Node()).root()
}
