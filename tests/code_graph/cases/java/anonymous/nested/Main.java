package anonymous.nested;

interface Step { Step next(); }
class Main {
  void leaf() { }
  Step make() {
    return new Step() {
      public Step next() {
        return new Step() { public Step next() { leaf(); return null; } };
      }
    };
  }
}
