package org.lib.util;

public final class Texts {
    private Texts() {}

    public static String shorten(String text) {
        return shorten(text, 10);
    }

    public static String shorten(String text, int length) { // @shorten_to
        return text.substring(0, Math.min(length, text.length()));
    }
}
