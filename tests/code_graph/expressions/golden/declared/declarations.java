package app.shop;

import java.util.*;
import java.util.List;
import static app.Tools.open;
import static app.Names.*;
import Alone;

@Described(value = Cart.class, names = {"a", Names.B}) @Fast
public abstract class Cart<T extends Item & Priced> extends Store<T> implements Opened, app.Named {
    private final Item[] items = {new Item(), null}, gone[];
    public static final int MOST = 3;
    static { load(); }
    { prepare(); }
    Cart(int limit) throws Failed { this(limit, null); }
    Cart(int limit, Log log) { super(limit); this.limit = limit; }
    @Override public <R extends T> List<? extends R> add(final R item, @Named Map<String, ? super R> all, int... counts) { return null; }
    abstract void close();
    class Inner { Cart<T> outer() { return Cart.this; } void up() { Cart.super.close(); } }
}
record Point<N>(int x, @Named N y) implements Place { Point { check(x); } Point(int x) { this(x, null); } }
enum Kind implements Place { FIRST(1) { void run() { go(); } }, @Old SECOND; Kind(int n) { } int n; }
interface Opened extends Closed, Named { default void open() { close(); } int LIMIT = 3; }
@interface Described { Class<?> value() default Object.class; String[] names(); }
sealed interface Shape permits Point { }
