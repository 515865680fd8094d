namespace Store;

public class Service
{
    private readonly Repository<Customer> customers = new();

    public void Run()
    {
        customers.Find(1).Rename();
        foreach (var each in customers.All())
            each.Rename();
        var first = customers.Create();
        first.Touch();
    }
}
