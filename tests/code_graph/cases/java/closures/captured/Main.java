package closures.captured;

class Part { void use() { } }
class Main {
  Part part;
  Runnable make(Part other) {
    Part local = new Part();
    return () -> { part.use(); other.use(); local.use(); Runnable r = () -> part.use(); r.run(); };
  }
}
