package inheritance.default_methods;

interface One { default void run() { step(); } void step(); }
interface Two { default void run() { } }
class Both implements One, Two {
  public void run() { One.super.run(); Two.super.run(); }
  public void step() { }
}
class Single implements One { public void step() { run(); } }
