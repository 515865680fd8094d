using System;
using System.Collections.Generic;

public interface ISetup<T> { }
public class Setup<T> : ISetup<T> { }

public static class SetupExtensions
{
    public static ISetup<T> Returns<T>(this ISetup<T> setup, T value) => setup; // @value
    public static ISetup<T> Returns<T>(this ISetup<T> setup, Func<T> make) => setup; // @make
    public static void Done<T>(this T value) { }
}

public class User
{
    public void Use(Setup<int> setup)
    {
        setup.Returns(1).Returns(() => 2).Done();
    }
}
