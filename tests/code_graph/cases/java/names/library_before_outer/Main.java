package names.library_before_outer;

import java.util.ArrayList;
class Outer {
  int size() { return 1; }
  class Inner extends ArrayList<String> { int run() { return size(); } }
  class Plain { int run() { return size(); } }
}
