package inheritance.covariant;

class Node { Node copy() { return new Node(); } }
class Leaf extends Node {
  @Override Leaf copy() { return new Leaf(); }
  void fall() { }
}
class Main { void run(Leaf leaf) { leaf.copy().fall(); } }
