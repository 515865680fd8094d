package overloads.unboxing;

class Main {
  void take(int x) { } // @take_int
  void take(String x) { } // @take_string
  void wide(long x) { } // @wide_long
  void wide(String x) { } // @wide_string
  void boxes(Integer i) { take(i); }
  void wider(Integer i) { wide(i); }
}
