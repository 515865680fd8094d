package overloads.classes_as_values;

import java.lang.reflect.Type;
class Main {
  void take(Class<?> c) { } // @take_class
  void take(Type t) { } // @take_type
  void take(Object o) { } // @take_object
  void literal() { take(String.class); }
  void type(Type t) { take(t); }
  void asked(Object o) { take(o.getClass()); }
}
