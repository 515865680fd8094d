package closures.streams;

import java.util.List;
import java.util.stream.Collectors;
class Item {
  String name() { return ""; }
  boolean isOld() { return true; }
}
class Main {
  List<String> run(List<Item> items) {
    return items.stream().filter(i -> i.isOld()).map(i -> i.name()).collect(Collectors.toList());
  }
  void each(List<Item> items) { items.forEach(i -> use(i)); }
  void use(Item i) { i.name(); }
}
