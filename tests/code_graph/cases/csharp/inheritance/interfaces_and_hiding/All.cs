public interface IReader { string Read(); void Close(); }
public interface IFastReader : IReader { new string Read(); }

public class Reader : IFastReader
{
    public string Read() => "";
    void IReader.Close() { Shut(); }
    internal void Shut() { }
}

public class Other : Reader
{
    public new string Read() => base.Read();
    public void Close() { }
}
