package closures.optional;

import java.util.Optional;
class Item { void use() { } Item next() { return this; } }
class Main {
  void run(Optional<Item> item) {
    item.map(i -> i.next()).ifPresent(i -> i.use());
    item.get().use();
    item.orElse(new Item()).use();
  }
}
