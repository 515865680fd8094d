package generics.elements;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
class Item { void use() { } }
class Main {
  List<Item> items = new ArrayList<>();
  Map<String, List<Item>> groups;
  void loop() { for (Item item : items) item.use(); }
  void inferred() { for (var item : items) item.use(); }
  void nested() { groups.get("a").get(0).use(); }
  void entries() { for (Map.Entry<String, List<Item>> e : groups.entrySet()) e.getValue().get(0).use(); }
}
