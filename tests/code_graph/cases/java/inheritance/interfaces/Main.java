package inheritance.interfaces;

interface Named { String name(); }
interface Titled extends Named { String title(); }
abstract class Base implements Titled { public String title() { return name(); } }
class Book extends Base { public String name() { return ""; } }
class Main { void all(Named n, Titled t, Book b) { n.name(); t.name(); b.title(); b.name(); } }
