namespace Io;

public class Reader
{
#if ASYNC
    public int Read(int count)
    {
        Wait();
#else
    public int Read(int count)
    {
#endif
        return Take(count);
    }

    private void Wait() { }

    private int Take(int count) => count;

    public int Twice()
    {
        if (Read(1) > 0
#if CHECKED
            && Valid()
#endif
            )
        {
            return Read(2);
        }
        return Done();
    }

    private bool Valid() => true;

    private int Done() => 0;
}
