namespace Data
{
    public class Row { public void Read() { } }

    public class Table<T> where T : new()
    {
        public T First() => new T();
        public void Clear() { }
    }
}
