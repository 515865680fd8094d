package generics.wildcards;

import java.util.List;
class Item { void use() { } }
class Main {
  void producer(List<? extends Item> items) { items.get(0).use(); }
  void consumer(List<? super Item> items) { items.add(new Item()); }
}
