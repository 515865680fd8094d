package names.inherited_before_outer;

class Base { void go() { } }
class Outer {
  void go() { }
  class Inner extends Base { void run() { go(); } }
  class Plain { void run() { go(); } }
}
