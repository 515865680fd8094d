package imports.access;

import imports.access.parts.Base;

class Main extends Base {
  void run() { take("a"); }
}
