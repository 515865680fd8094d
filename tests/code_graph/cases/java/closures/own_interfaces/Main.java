package closures.own_interfaces;

interface Mapper<A, B> { B map(A a); }
class Item { String name() { return ""; } }
class Main {
  <A, B> B apply(A a, Mapper<A, B> m) { return m.map(a); }
  String run(Item item) { return apply(item, i -> i.name()); }
}
