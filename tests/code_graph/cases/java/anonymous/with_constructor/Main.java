package anonymous.with_constructor;

abstract class Base {
  Base(int x) { } // @base_int
  Base(String s) { } // @base_string
  abstract void run();
}
class Main {
  Base number() { return new Base(1) { void run() { } }; }
  Base text() { return new Base("a") { void run() { } }; }
}
