package closures.nested;

import java.util.function.Function;
class Item { Item next() { return this; } }
class Main {
  Function<Item, Function<Item, Item>> run() { return a -> b -> a.next(); }
}
