package generics.own_container;

class Item { void use() { } }
class Box<T> {
  private T held;
  T get() { return held; }
  <R> Box<R> with(R other) { return new Box<R>(); }
  static <S> Box<S> of(S held) { return new Box<>(); }
}
class Main {
  void held(Box<Item> box) { box.get().use(); }
  void made() { Box.of(new Item()).get().use(); }
  void changed(Box<String> box) { box.with(new Item()).get().use(); }
}
