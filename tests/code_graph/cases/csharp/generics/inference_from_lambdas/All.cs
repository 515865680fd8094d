using System;
using System.Collections.Generic;

public class Cat { public Name Name() => new Name(); }
public class Name { public void Say() { } }

public class Box<T> { public Box(Action<T> use) { } }

public class Use
{
    private readonly Box<Name> box = new(name => name.Say());

    public U Map<T, U>(T value, Func<T, U> map) => map(value);
    public IEnumerable<U> Each<T, U>(IEnumerable<T> all, Func<T, U> map) { foreach (var one in all) yield return map(one); }

    public void Run(List<Cat> cats)
    {
        Map(new Cat(), cat => cat.Name()).Say();
        foreach (var name in Each(cats, cat => cat.Name())) name.Say();
    }
}
