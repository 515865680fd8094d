public class Parent
{
    public void Do(int value) { } // @parent
    public virtual void Make(string value) { } // @virtual
}

public class Child : Parent
{
    public void Do(object value) { } // @child
    public override void Make(string value) { } // @override
    public void Make(object value) { } // @new

    public void Use()
    {
        Do(1);
        Make("a");
        base.Do(2);
    }
}
