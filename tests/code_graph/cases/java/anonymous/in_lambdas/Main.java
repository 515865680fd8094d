package anonymous.in_lambdas;

interface Job { void run(); }
class Main {
  void take(Job job) { job.run(); }
  void use() { }
  void start() {
    Runnable r = () -> take(new Job() { public void run() { use(); } });
    r.run();
  }
}
