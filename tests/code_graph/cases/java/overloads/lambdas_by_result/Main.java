package overloads.lambdas_by_result;

import java.util.concurrent.Callable;
class Main {
  void submit(Runnable task) { } // @submit_runnable
  <T> void submit(Callable<T> task) { } // @submit_callable
  void log() { }
  int count() { return 1; }
  void statements() { submit(() -> { log(); }); }
  void nothing() { submit(() -> log()); }
  void value() { submit(() -> count()); }
  void returned() { submit(() -> { return count(); }); }
  void literal() { submit(() -> 1); }
  void thrown() { submit(() -> { throw new IllegalStateException(); }); }
}
