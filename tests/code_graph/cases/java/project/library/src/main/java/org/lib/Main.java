package org.lib;

import static org.lib.util.Texts.shorten;

import java.util.List;
import org.lib.model.Book;
import org.lib.model.Item;
import org.lib.store.*;

public final class Main {
    private static final Catalog CATALOG = new Catalog();

    private Main() {}

    public static void main(String[] args) {
        Main main = new Main();
        main.run(List.of(new Book("a", 1), new Book("b")));
    }

    void run(List<Book> books) {
        for (Book book : books) {
            CATALOG.add(book);
            print(book.title());
        }
        books.forEach(book -> print(book.describe()));
        Item found = CATALOG.find("a");
        found.describe();
        if (found instanceof Book book && book.pages() > 0) {
            print(1);
        }
        Runnable later = this::done;
        later.run();
        new Thread() {
            @Override
            public void run() {
                done();
            }
        }.start();
    }

    private void print(String text) { // @print_text
        System.out.println(shorten(text));
    }

    private void print(int number) { // @print_number
        print(String.valueOf(number));
    }

    private void done() {
        CATALOG.clear();
    }
}
