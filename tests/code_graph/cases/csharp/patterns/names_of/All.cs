public class Leaf { }
public class Walker
{
    public string Kind(object node) => node switch { nameof(Leaf) => Name(), _ => "" };
    private static string Name() => "leaf";
}
