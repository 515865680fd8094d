package org.lib.model;

public abstract class Item implements Describable {
    private final String title;

    protected Item(String title) {
        this.title = check(title);
    }

    public String title() {
        return title;
    }

    public abstract int pages();

    @Override
    public String describe() {
        return title() + pages();
    }

    private static String check(String title) {
        return title;
    }
}
