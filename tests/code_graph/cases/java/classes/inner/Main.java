package classes.inner;

class Main {
  void helper() { }
  class Inner {
    void run() { helper(); Main.this.helper(); own(); }
    void own() { }
  }
  static class Nested { static void go() { new Main().make(); } }
  Inner make() { return new Inner(); }
  void all() { make().run(); this.new Inner().own(); Nested.go(); }
}
