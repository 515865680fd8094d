namespace Contract;

public interface IReadable
{
    string Read();

    string ReadAll() => Read() + Read();
}

public interface IStore : IReadable
{
    void Write(string text);
}
