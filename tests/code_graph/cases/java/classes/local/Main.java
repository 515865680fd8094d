package classes.local;

class Main {
  void run() {
    class Local { void go() { again(); } void again() { } }
    new Local().go();
  }
  void other() {
    class Local { void go() { run(); } }
    new Local().go();
  }
}
