package names.nested_types;

class Main {
  static class Entry { void use() { } static class Key { void press() { } } }
  void run(Entry e, Entry.Key k) { e.use(); k.press(); new Main.Entry.Key().press(); }
}
