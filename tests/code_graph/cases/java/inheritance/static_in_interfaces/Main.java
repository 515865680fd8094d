package inheritance.static_in_interfaces;

interface Tools {
  static int twice(int x) { return helper(x) * 2; }
  private static int helper(int x) { return x; }
  private int own() { return 1; }
  default int use() { return own() + twice(1); }
}
class Main { int run() { return Tools.twice(1); } }
