using System;

namespace Branches;

public class Client
#if NET6_0_OR_GREATER
    : ModernBase
#else
    : OldBase
#endif
{
    public void Run()
    {
        Start();
#if DEBUG
        if (first)
#else
        if (second)
#endif
        {
            Stop();
        }
    }

#if DEBUG
    public int Only(int a)
#else
    public int Only(long a)
#endif
    {
        return 1;
    }
}
