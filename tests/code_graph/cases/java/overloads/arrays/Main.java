package overloads.arrays;

class Main {
  void take(int[] xs) { } // @take_ints
  void take(long[] xs) { } // @take_longs
  void take(Object xs) { } // @take_object
  void take(Object[] xs) { } // @take_objects
  void ints() { take(new int[] {1}); }
  void longs(long[] l) { take(l); }
  void texts(String[] s) { take(s); }
  void nested(int[][] xs) { take(xs); take(xs[0]); }
  void chars(char[] c) { take(c); }
}
