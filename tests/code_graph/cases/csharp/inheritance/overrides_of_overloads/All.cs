using System.Collections.Generic;

public abstract class Handler
{
    public abstract void Handle(int value); // @int
    public abstract void Handle(string value); // @string
    public virtual void Handle<T>(List<T> values) { } // @list
    public virtual void Handle<T>(T value) { } // @generic
}

public class Real : Handler
{
    public override void Handle(int value) { } // @realInt
    public override void Handle(string value) { } // @realString
    public override void Handle<U>(List<U> values) { } // @realList
    public override void Handle<U>(U value) { } // @realGeneric
}
