namespace Os;

public class Caller
{
    public string Run()
    {
        var platform = new Platform();
        platform.Trace();
        return platform.Name();
    }
}
