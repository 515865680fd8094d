public class Log
{
    public void Write(string text) { } // @one
    public void Write(string text, int level) { } // @two
    public void Write(string text, int level, bool isLast = true) { } // @three

    public void Use()
    {
        Write("a");
        Write("a", 1);
        Write("a", 1, false);
        Write(level: 2, text: "b", isLast: true);
    }
}
