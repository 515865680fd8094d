package com.example.shop;

import java.util.*;
import static java.lang.Math.max;
import java.util.List;

/**
 * What is sold.
 * @param <T> of a kind
 */
@Deprecated
@Named("order")
public abstract class Order<T extends Item> extends Base<T> implements Sellable, store.Kept<String> {
    private static final int A = 1, B[] = {2};
    /** Makes one. */
    public Order(int a, String... rest) {
        super(a);
        this.thing = new Thing<>(rest);
    }

    // not documentation
    @Override
    protected <R> List<R> map(final Map<String, ? super T> by) throws Failure {
        if (by != null) {
            class Local {}
        }
        Runnable later = new Runnable() {
            public void run() {
                shop.till().close();
            }
        };
        later.run();
        each(Order::close);
        return null;
    }

    abstract void close();

    interface Inner extends First, Second {
        int LIMIT = 3;
        default void greet() {}
        void leave();
    }

    enum Colour implements Shown {
        RED(1),
        /** Like grass. */
        GREEN {
            void glow() {}
        };
        private int value;
        Colour(int value) {}
    }

    record Pair(int first, String second) implements Shown {
        Pair {
            check(first);
        }
        static int zero() { return 0; }
    }

    @interface Named {
        String value() default "x";
    }

    static {
        init();
    }
}

sealed interface Shape permits Circle, Square {}
