using System;

public class Base { }
public class Derived : Base { }

public class Picker
{
    public void Pick(int value) { } // @int
    public void Pick(long value) { } // @long
    public void Pick(double value) { } // @double
    public void Pick(string value) { } // @string
    public void Pick(object value) { } // @object
    public void Pick(Base value) { } // @base

    public void Use(byte small, Derived derived, DateTime time)
    {
        Pick(1);
        Pick(1L);
        Pick(1.5f);
        Pick("a");
        Pick(small);
        Pick(derived);
        Pick(time);
        Pick($"{small}");
        Pick(typeof(int));
    }
}
