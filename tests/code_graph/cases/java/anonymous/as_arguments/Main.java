package anonymous.as_arguments;

import java.util.Comparator;
import java.util.List;
class Item { int size() { return 1; } }
class Main {
  void sort(List<Item> items) {
    items.sort(new Comparator<Item>() {
      @Override public int compare(Item a, Item b) { return a.size() - b.size(); }
    });
  }
}
