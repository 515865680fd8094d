class Node<T> {
  next?: Node<T>

  constructor(readonly value: T) {}

  last(): Node<T> {
    return this.next?.last() ?? this
  }
}

class Task {
  run() {
    return 1
  }
}

export function run() {
  const node = new Node(new Task())
  node.value.run()
  node.last().value.run()
  return new Node<Node<Task>>(node).value.value.run()
}
