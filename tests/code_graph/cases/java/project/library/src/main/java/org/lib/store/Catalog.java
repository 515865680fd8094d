package org.lib.store;

import java.util.HashMap;
import java.util.Map;
import org.lib.model.Book;
import org.lib.model.Item;

public class Catalog extends Store<Item> {
    private final Map<String, Item> items = new HashMap<>();
    private Kind kind = Kind.SMALL;

    @Override
    public void add(Item item) {
        super.add(item);
        items.put(item.title(), item);
        kind = kind.next();
    }

    public Item find(String title) {
        return items.computeIfAbsent(title, name -> new Book(name));
    }

    public long count() {
        return items.values().stream().filter(item -> item.pages() > 1).map(Item::title).count();
    }

    public void clear() {
        first().describe();
        items.clear();
    }

    enum Kind {
        SMALL,
        LARGE {
            @Override
            Kind next() {
                return SMALL;
            }
        };

        Kind next() {
            return LARGE;
        }
    }
}
