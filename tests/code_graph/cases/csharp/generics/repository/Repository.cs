using System.Collections.Generic;

namespace Store;

public class Repository<T> where T : Entity, new()
{
    private readonly Dictionary<int, T> items = new();

    public T Find(int key)
    {
        return items.TryGetValue(key, out var found) ? found : Create();
    }

    public T Create()
    {
        var made = new T();
        made.Touch();
        return made;
    }

    public IEnumerable<T> All() => items.Values;
}
