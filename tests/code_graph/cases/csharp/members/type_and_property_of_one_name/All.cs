public enum Color { Red, Blue }

public class Style { public static Style Default() => new Style(); public void Apply() { } }

public class Pen
{
    public Color Color { get; set; }
    public Style Style { get; set; }

    public void Use()
    {
        Color = Color.Red;
        Style = Style.Default();
        Style.Apply();
    }
}
