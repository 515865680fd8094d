namespace Out;

public class Writer
{
    public void Write() // @none
    {
        Write("");
    }

    public void Write(string text) // @text
    {
        Write(text, 0);
    }

    public void Write(int number) // @number
    {
        Write(number.ToString(), 1);
    }

    public void Write(string text, int indent) // @indented
    {
    }

    public void Write(bool flag) // @flag
    {
        Write(1);
    }

    public void Write(params string[] texts) // @many
    {
        Write();
    }
}
