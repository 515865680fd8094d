package overloads.boxing_before_variable;

class Main {
  void take(Object x) { } // @take_object
  void take(int... xs) { } // @take_ints
  void one() { take(1); }
  void none() { take(); }
  void two() { take(1, 2); }
  void array(int[] xs) { put(xs); }
  void put(int... xs) { } // @put_ints
  void put(Object x, Object y) { } // @put_two
}
