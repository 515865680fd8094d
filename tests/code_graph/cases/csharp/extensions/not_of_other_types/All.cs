using System.Collections.Generic;

public class Cat { }
public class Dog { }

public static class Extensions
{
    public static void Feed(this Cat cat) { } // @cat
    public static void Feed(this Dog dog) { } // @dog
    public static void Feed(this IEnumerable<Cat> cats) { } // @cats
    public static void Feed(this string name) { } // @name
}

public class User
{
    public void Use(Cat cat, Dog dog, List<Cat> cats)
    {
        cat.Feed();
        dog.Feed();
        cats.Feed();
        "a".Feed();
        cat?.Feed();
    }
}
