using System.Collections.Generic;

public class Part { public string Name { get; set; } public Part Next { get; set; } }

public class Maker
{
    private readonly Part first = Make("a");
    private static Part Make(string name) => new Part { Name = Text(name), Next = new Part { Name = "b" } };
    private static string Text(string name) => name;
    public List<Part> All() => new List<Part> { Make("c"), new Part() };
}
