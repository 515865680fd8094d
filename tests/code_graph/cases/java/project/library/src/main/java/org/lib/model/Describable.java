package org.lib.model;

public interface Describable extends Titled {
    String describe();

    default String shout() {
        return describe().toUpperCase();
    }
}
