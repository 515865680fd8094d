package generics.through_a_base;

class Item { void use() { } }
abstract class Base<T> {
  T first() { return null; }
  abstract void take(T item);
}
class Items extends Base<Item> {
  @Override void take(Item item) { item.use(); }
  void run() { first().use(); take(first()); }
}
