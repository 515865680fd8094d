public enum Level { Low, High }
public struct Size { public int Width; }

public class Writer
{
    public void Write(Level level, string text) { } // @level
    public void Write(string format, object argument) { } // @format
    public void Write(Size size, string text) { } // @size

    public void Use(Size size)
    {
        Write(Level.High, "a");
        Write("a", "b");
        Write(size, "a");
        Write(default(Size), "a");
    }
}
