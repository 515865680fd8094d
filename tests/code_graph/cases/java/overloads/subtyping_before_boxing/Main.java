package overloads.subtyping_before_boxing;

class Main {
  void take(int x) { } // @take_int
  void take(long x) { } // @take_long
  void take(Integer x) { } // @take_integer
  void take(Object x) { } // @take_object
  void ints() { take(1); }
  void bytes(byte b) { take(b); }
  void boxes(Integer i) { take(i); }
  void floats() { take(1.5f); }
  void longs() { take(1L); }
}
