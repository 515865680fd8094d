package overloads.literals;

class Main {
  void print(char c) { } // @print_char
  void print(int i) { } // @print_int
  void print(long l) { } // @print_long
  void print(float f) { } // @print_float
  void print(double d) { } // @print_double
  void print(boolean b) { } // @print_boolean
  void print(String s) { } // @print_string
  void chars() { print('x'); }
  void ints() { print(0x1F); }
  void longs() { print(10L); }
  void floats() { print(1f); }
  void doubles() { print(1.0); }
  void booleans(int a) { print(a > 1); }
  void strings(int a) { print("a" + a); }
  void sums(char a, int b) { print(a + b); }
  void wide(int a, long b) { print(a * b); }
  void shifts(int a, long b) { print(a << b); }
  void halves(float a, long b) { print(a / b); }
}
