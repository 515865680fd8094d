using System.Collections.Generic;

namespace Conf;

public class Section
{
    private readonly Dictionary<string, Value> values = new();

    public Value this[string name] => Lookup(name); // @indexer

    private Value Lookup(string name) => values[name];

    public Section? Parent { get; set; }

    public Value Main
    {
        get { return Lookup("main"); }
        set { Store(value); }
    }

    private void Store(Value value) => values["main"] = value;
}

public class Value
{
    public int Number() => 1;
}

public class Program
{
    private Section root = new();

    public int Run()
    {
        var number = root["a"].Number();
        number += root.Main.Number();
        root.Parent!.Main = new Value();
        return root.Parent?.Parent?["b"].Number() ?? number;
    }
}
