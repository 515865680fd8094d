package imports.own_package_first.parts;

public class Part { public void use() { } }
