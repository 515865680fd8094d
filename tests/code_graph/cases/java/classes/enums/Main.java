package classes.enums;

enum Colour {
  RED(1) { @Override int code() { return shade(); } },
  BLUE(2);
  Colour(int value) { }
  int code() { return 0; }
  int shade() { return 1; }
}
class Main {
  int run(Colour c) { return c.code() + Colour.RED.code() + Colour.valueOf("RED").shade(); }
  void all() { for (Colour c : Colour.values()) c.code(); }
}
