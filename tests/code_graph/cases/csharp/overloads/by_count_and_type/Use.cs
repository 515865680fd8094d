namespace Out;

public class Use
{
    private readonly Writer writer = new Writer();

    public void Text() => writer.Write("a");

    public void Number() => writer.Write(3);

    public void Flag() => writer.Write(true);

    public void Many() => writer.Write("a", "b", "c");

    public void Named() => writer.Write(indent: 2, text: "b");
}
