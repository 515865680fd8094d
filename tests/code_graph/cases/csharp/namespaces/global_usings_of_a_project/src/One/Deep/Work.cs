namespace One.Deep;

public class Work
{
    public void Do()
    {
        new Saw().Cut();
        Trim("a");
        new Kit().Unpack();
    }
}
