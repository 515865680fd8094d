package classes.variables_and_methods;

class Part { void use() { } }
class Main {
  Part part;
  Part part() { return part; }
  void run() { part.use(); part().use(); this.part.use(); this.part().use(); }
  void local() { Part run = part(); run.use(); run(); }
}
