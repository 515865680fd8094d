#define POOLED

namespace Mem;

public class Buffer
#if POOLED
    : Pooled
#else
    : Plain
#endif
    , ISized
{
    public int Size() => Measure();

#region helpers
    private int Measure()
    {
#if !NETSTANDARD2_0 && POOLED
        return Rent();
#else
        return Size();
#endif
    }
#endregion
}

public class Pooled
{
    protected int Rent() => 1;
}

public class Plain { }

public interface ISized
{
    int Size();
}
