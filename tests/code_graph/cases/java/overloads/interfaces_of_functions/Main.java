package overloads.interfaces_of_functions;

import java.util.function.Consumer;
import java.util.function.Function;
class Main {
  void each(Consumer<String> c) { } // @each_consumer
  void each(Function<String, String> f) { } // @each_function
  void consumer(Consumer<String> c) { each(c); }
  void function(Function<String, String> f) { each(f); }
  void statement() { each(s -> { }); }
  void value() { each(s -> s + "a"); }
}
