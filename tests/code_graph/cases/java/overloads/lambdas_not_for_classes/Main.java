package overloads.lambdas_not_for_classes;

class Main {
  void take(Runnable task) { } // @take_runnable
  void take(String text) { } // @take_string
  void take(Main other) { } // @take_main
  void run() { take(() -> { }); }
  void text() { take(String.valueOf(1)); }
}
