namespace Contract;

public class MemoryStore : IStore
{
    public string Read() => Load();

    public void Write(string text) => Save(text);

    private string Load() => "";

    private void Save(string text) { }
}
