package anonymous.super_call;

class Base { void run() { } }
class Main { Base make() { return new Base() { @Override void run() { super.run(); } }; } }
