class Bodies {
    Object run(Object o, List<Item> all) throws Exception {
        var made = new Cart<>(1) { Item first() { return get(0); } };
        for (final Item one : all) { one.sell(); }
        for (int i = 0, j = start(); i < j; i++) all.get(i).sell();
        if (o instanceof Item item && item.ready() && !(o instanceof Point(int x, Item y))) item.sell();
        else if (o instanceof String) o.toString(); else { return null; }
        try (Reader r = open(); made) { r.read(); } catch (Failed | Missing e) { e.show(); } finally { close(); }
        switch (kind) { case FIRST: go(); break; default: stop(); }
        var chosen = switch (o) { case Item i -> i.name(); case Kind.FIRST, null -> { yield name(); } default -> throw new Failed(); };
        Runnable later = () -> go(); Function<Item, String> f = Item::name, g = this::name; Supplier<Cart> s = Cart::new;
        BinaryOperator<Item> both = (a, b) -> { return a.join(b); }; Comparator<Item> c = (Item a, Item b) -> a.id() - b.id();
        int[] counts = new int[] {1, count()}; Item[][] grid = new Item[2][size()]; grid[0][1] = made.first();
        this.name = cond ? chosen : "b" + made; count += 2; ((Item) o).sell(); outer.new Inner().run(); Tools.<Item>of(all, Item.class).stream().map(Item::name).toList();
        label: while (true) { do { break label; } while (more()); } synchronized (all) { assert ready() : text(); }
        class Local { Item it; } Local l = new Local(); l.it = null; app.shop.Tools.run(l.it);
        return (Item & Named) o;
    }
}
