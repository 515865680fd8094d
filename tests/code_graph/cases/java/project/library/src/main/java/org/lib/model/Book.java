package org.lib.model;

public class Book extends Item {
    private final int pages;

    public Book(String title, int pages) {
        super(title);
        this.pages = pages;
    }

    public Book(String title) {
        this(title, Defaults.pages());
    }

    @Override
    public int pages() {
        return pages;
    }

    @Override
    public String describe() {
        return super.describe() + shout();
    }

    private static class Defaults {
        static int pages() {
            return 100;
        }
    }
}
