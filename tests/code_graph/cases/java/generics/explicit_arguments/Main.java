package generics.explicit_arguments;

import java.util.List;
class Main {
  static <T> List<T> none() { return null; }
  static <T> void take(List<T> list) { }
  void run() { Main.<String>none(); take(Main.<Integer>none()); }
}
