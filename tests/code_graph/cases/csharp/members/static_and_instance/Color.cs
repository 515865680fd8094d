namespace Color;

public class Paint
{
    public string Name() => "";

    public static Paint Make(string name) => new Paint();
}

public class Wall
{
    public Paint Paint { get; } = Paint.Make("white");

    public string Describe()
    {
        return Paint.Name() + Paint.Make("red").Name();
    }

    private static readonly Wall Shared = new Wall();

    public static string Any() => Shared.Describe();
}

public static class Factory
{
    private static readonly object[] made = { new Wall(), Paint.Make("b") };

    static Factory() => Prepare();

    private static void Prepare() { }
}
