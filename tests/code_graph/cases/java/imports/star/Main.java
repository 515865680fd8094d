package imports.star;

import static imports.star.parts.Part.*;
import imports.star.parts.*;

class Main {
  void run(Part part) { part.use(); help(); }
}
