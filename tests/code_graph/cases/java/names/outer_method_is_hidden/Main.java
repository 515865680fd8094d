package names.outer_method_is_hidden;

class Outer {
  void go(int x) { } // @outer_go
  class Inner {
    void go(String s) { } // @inner_go
    void run() { go("a"); Outer.this.go(1); }
  }
}
