namespace Outer
{
    namespace Middle
    {
        public class A { public void Go() { new B().Go(); new C().Go(); new D().Go(); } }
    }

    public class B { public void Go() { } }
}

namespace Outer { namespace Middle { public class C { public void Go() { } } } }

public class D { public void Go() { new Outer.Middle.A().Go(); } }
