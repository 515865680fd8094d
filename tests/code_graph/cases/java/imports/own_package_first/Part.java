package imports.own_package_first;

class Part { void use() { } }
