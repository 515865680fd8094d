package inheritance.through_interfaces;

interface Reader { int read(); }
interface Fast extends Reader { @Override int read(); }
class Impl implements Fast { public int read() { return 1; } }
class Main { int run(Fast f, Reader r) { return f.read() + r.read(); } }
