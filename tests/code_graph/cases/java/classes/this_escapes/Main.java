package classes.this_escapes;

class Main {
  Main self() { return this; }
  void run() { self().self().run(); }
  static Main make() { return new Main(); }
  void chained() { make().self().run(); }
}
