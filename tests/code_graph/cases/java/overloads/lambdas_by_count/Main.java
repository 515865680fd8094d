package overloads.lambdas_by_count;

class Main {
  interface One { void run(String a); }
  interface Two { void run(String a, String b); }
  void take(One one) { } // @take_one
  void take(Two two) { } // @take_two
  void one() { take(a -> { }); }
  void two() { take((a, b) -> { }); }
}
