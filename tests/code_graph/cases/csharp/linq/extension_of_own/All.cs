using System.Collections.Generic;
using System.Linq;

public class Item { public int Size() => 1; public bool IsBig() => true; }

public static class ItemQueries
{
    public static IEnumerable<Item> Big(this IEnumerable<Item> items) => items.Where(item => item.IsBig());
}

public class Report
{
    public int Sum(List<Item> items) => items.Big().Select(item => item.Size()).Sum();
    public Item First(Item[] items) => items.Big().OrderBy(item => item.Size()).First();
}
