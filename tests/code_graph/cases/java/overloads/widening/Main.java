package overloads.widening;

class Main {
  void take(short x) { } // @take_short
  void take(long x) { } // @take_long
  void take(double x) { } // @take_double
  void bytes(byte b) { take(b); }
  void chars(char c) { take(c); }
  void ints(int i) { take(i); }
  void floats(float f) { take(f); }
}
