package classes.record_with_accessor;

record Name(String first) {
  Name(String a, String b) { this(a + b); }
  public String first() { return first.trim(); }
  String shout() { return first().toUpperCase(); }
}
class Main { String run(Name n) { return n.first(); } }
