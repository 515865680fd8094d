package anonymous.in_fields;

interface Reader { int read(int x); }
class Main {
  static final Reader INT = new Reader() {
    public int read(int x) { return other(x); }
    int other(int x) { return x; }
  };
  static final Reader LONG = new Reader() {
    public int read(int x) { return INT.read(x); }
  };
}
