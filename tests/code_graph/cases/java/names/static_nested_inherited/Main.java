package names.static_nested_inherited;

class Base { static class Tool { void use() { } } static void help() { } }
class Main extends Base { void run() { new Tool().use(); help(); Main.help(); } }
