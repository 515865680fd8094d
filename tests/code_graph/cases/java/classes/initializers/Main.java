package classes.initializers;

class Main {
  static int COUNT = start();
  int size = own();
  static { start(); }
  { own(); }
  static int start() { return 1; }
  int own() { return 2; }
}
