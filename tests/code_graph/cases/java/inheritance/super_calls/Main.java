package inheritance.super_calls;

class A { A(int x) { } void run() { } }
class B extends A {
  B() { super(1); }
  @Override void run() { super.run(); }
  class Inner { void go() { B.super.run(); B.this.run(); } }
}
