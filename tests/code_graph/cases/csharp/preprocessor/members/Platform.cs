namespace Os;

public class Platform
{
#if WINDOWS
    public string Name() => Native.Windows();
#else
    public string Name() => Native.Other();
#endif

    public void Trace()
    {
#if DEBUG
        Log("debug");
#endif
        Flush();
    }

    private void Log(string text) { }

    private void Flush() { }
}

public static class Native
{
    public static string Windows() => "w";

    public static string Other() => "o";
}
