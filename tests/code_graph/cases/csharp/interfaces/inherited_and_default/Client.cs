namespace Contract;

public class Client
{
    private readonly IStore store;

    public Client(IStore store)
    {
        this.store = store;
    }

    public string Copy()
    {
        store.Write(store.Read());
        return store.ReadAll();
    }

    public static Client Make() => new Client(new MemoryStore());
}
