using System;

namespace A.B.C
{
    using D;

    public class User { public void Use() { new Thing().Near(); } }
}

namespace A.B.D { public class Thing { public void Near() { } } }

namespace A.D { public class Thing { public void Far() { } } }

namespace D { public class Thing { public void Farthest() { } } }
