public interface IStore<TKey, TValue>
{
    TValue this[TKey key] { get; } // @byKey
    TValue this[int at, bool isLast] { get; } // @byPlace
    void Put(TKey key, TValue value);
    void Put(TKey key);
}

public class Store : IStore<string, int>
{
    public int this[string key] => 0; // @key
    public int this[int at, bool isLast] => 1; // @place
    public void Put(string key, int value) { } // @putBoth
    public void Put(string key) { } // @putKey
}
