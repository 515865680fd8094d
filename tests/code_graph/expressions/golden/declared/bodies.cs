class Bodies
{
#if NET
    [Fast]
#else
    [Slow]
#endif
    object Run(object o, Cart cart)
    {
        var (left, right) = cart.Split();
        (cart.Total, var rest, _) = Triple();
        if (o is Item { Name.Length: > 3, Price: var price } item && o is not (string or int)) { item.Sell(price); }
        else if (cart?.Find("a")?[0] is { } first) first.Sell();
        else return null!;
        if (!cart.TryFind(out var found, out Item other, ref o, at: 2)) throw new Missing(nameof(cart.Find));
        found.Sell(); other.Sell();
        var made = new Cart(1) { Name = "b", Items = { new Item(), other }, ["k"] = found, Owner = { Age = 3 } };
        Item target = new(made);
        var any = new { made.Name, Size = Measure(made) };
        Item[] all = { target, other }; var more = new[] { target }; var sized = new Item[3]; int[] spread = [1, ..all];
        foreach (var (key, value) in made) { value.Sell(key); }
        foreach (Item one in all) one.Sell();
        for (int i = 0, j = Start(); i < j; i++) { all[i].Sell(); }
        switch (o) { case Item i when i.Ready: i.Sell(); break; case Kind.First: case null: break; default: return made; }
        var chosen = o switch { Item i => i.Name, (int a, var b) => Join(a, b), _ => default(string) };
        using (var file = Open()) using (Lock()) { file.Read(); }
        using var second = Open();
        try { await Save(made); } catch (Failed e) when (e.Is(3)) { e.Show(); } finally { Close(); }
        var query = from x in all join y in more on x.Id equals y.Id where x.Ready let z = x.Next orderby z.Id select z.Name;
        Func<int, Task> later = async n => await Wait(n); Action<Item> act = (Item i) => { i.Sell(); }; Handler old = delegate (int n) { Use(n); };
        later += Wait; count++; var text = $"{made.Name,3:x} {query.First()}"; name = chosen ?? text; cart ??= made;
        var copy = point with { X = 1, Y = Measure(made) }; var cast = (Item)o; var tried = (o as Item)!.Next; var sum = made + target; var flag = sum > 3;
        var t = cond ? made : other; lock (made) { goto end; } end: int Inner<U>(U u) where U : Item { return u.Id; }
        List<Dictionary<string, Item>> generic = Make<Item>.Of<int>(typeof(List<>), default, this, base.ToString());
        string.Join(",", Pairs.Of(checked(1 + 2))); dynamic d = stackalloc int[3]; var range = all[1..^2];
        return Inner(made);
    }
    IEnumerable<Item> Each() { yield return new Item(); yield break; }
}
