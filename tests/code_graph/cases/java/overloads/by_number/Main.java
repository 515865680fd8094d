package overloads.by_number;

class Main {
  void log(String a) { log(a, 1); } // @log_one
  void log(String a, int b) { log(a, b, true); } // @log_two
  void log(String a, int b, boolean c) { } // @log_three
}
