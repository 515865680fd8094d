package names.shadowed;

class Part { void use() { } }
class Other { void use() { } }
class Main {
  Part part;
  void run(Other part) { part.use(); this.part.use(); }
  void block() { { Other part = new Other(); part.use(); } part.use(); }
}
