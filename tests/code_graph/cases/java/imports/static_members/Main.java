package imports.static_members;

import static imports.static_members.tools.Tools.SHARED;
import static imports.static_members.tools.Tools.twice;

class Main {
  void run() { SHARED.use(); twice(1); }
}
