package inheritance.nearest;

class A { void run() { } }
class B extends A { }
class C extends B { @Override void run() { super.run(); } }
class Main { void all(A a, B b, C c) { a.run(); b.run(); c.run(); } }
