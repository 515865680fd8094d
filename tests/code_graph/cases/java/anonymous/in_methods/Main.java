package anonymous.in_methods;

abstract class Task { abstract void run(); void log() { } }
class Main {
  void helper() { }
  void start() {
    Task task = new Task() { void run() { log(); helper(); } };
    task.run();
  }
  void start(int x) {
    Task task = new Task() { void run() { start(); } };
    task.run();
  }
}
