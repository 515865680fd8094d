package closures.returned;

import java.util.function.Function;
import java.util.function.Supplier;
class Item { void use() { } }
class Main {
  Supplier<Item> supplier() { return () -> new Item(); }
  Function<Item, Item> same() { return i -> i; }
  void run() { supplier().get().use(); same().apply(new Item()).use(); }
}
