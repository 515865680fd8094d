package org.lib.store;

import java.util.ArrayList;
import java.util.List;

public class Store<T> {
    private final List<T> all = new ArrayList<>();

    public void add(T item) {
        all.add(item);
        log(new Event(item.toString()));
    }

    protected T first() {
        return all.get(0);
    }

    private void log(Event event) {
        event.name();
    }

    record Event(String name) {
        Event {
            verify(name);
        }

        private static void verify(String name) {}
    }
}
