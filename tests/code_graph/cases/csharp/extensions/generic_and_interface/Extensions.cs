using System;
using System.Collections.Generic;

namespace Data;

public interface IEntity
{
    int Key();
}

public static class EntityExtensions
{
    public static T Saved<T>(this T entity) where T : IEntity
    {
        entity.Key();
        return entity;
    }

    public static IEnumerable<T> Each<T>(this IEnumerable<T> items, Action<T> action)
    {
        foreach (var item in items)
            action(item);
        return items;
    }
}
