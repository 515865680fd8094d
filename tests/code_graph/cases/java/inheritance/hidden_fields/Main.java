package inheritance.hidden_fields;

class Part { void use() { } }
class Base { Part part = new Part(); static Part shared = new Part(); }
class Main extends Base {
  Part part = new Part();
  void run() { part.use(); super.part.use(); shared.use(); }
}
