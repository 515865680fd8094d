package imports.own_package_first;

import imports.own_package_first.parts.*;

class Main {
  void run(Part part, imports.own_package_first.parts.Part other) { part.use(); other.use(); }
}
