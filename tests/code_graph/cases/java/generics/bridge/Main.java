package generics.bridge;

interface Handler<T> { void handle(T value); }
class Texts implements Handler<String> {
  public void handle(String value) { }
  public void handle(Integer value) { }
}
class Main { void run(Handler<String> h, Texts t) { h.handle("a"); t.handle("b"); } }
