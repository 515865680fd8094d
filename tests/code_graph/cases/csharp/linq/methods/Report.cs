using System.Collections.Generic;
using System.Linq;

namespace Sales;

public class Invoice
{
    public decimal Amount() => 1;

    public bool IsPaid() => true;

    public Buyer Buyer() => new Buyer();
}

public class Buyer
{
    public string Name() => "";
}

public class Report
{
    private readonly List<Invoice> invoices = new();

    public decimal Total() => invoices.Where(each => each.IsPaid()).Sum(each => each.Amount());

    public string First() => invoices.OrderBy(each => each.Amount()).First().Buyer().Name();

    public List<string> Names()
    {
        var buyers = invoices.Select(each => each.Buyer()).ToList();
        return buyers.Select(buyer => buyer.Name()).Distinct().ToList();
    }

    public List<string> Keys() =>
        invoices.GroupBy(each => each.Buyer()).Select(group => group.Key.Name()).ToList();

    public Dictionary<string, decimal> Grouped()
    {
        return invoices
            .GroupBy(each => each.Buyer().Name())
            .ToDictionary(group => group.Key, group => group.Sum(each => each.Amount()));
    }
}
