using System.Collections.Generic;

namespace Shop;

public partial class Order
{
    private readonly List<Line> lines = new();

    public Order(string customer)
    {
        Customer = customer;
        Reset();
    }

    public string Customer { get; }

    partial void OnAdded(Line line);
}
