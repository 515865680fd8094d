using System;

[AttributeUsage(AttributeTargets.All)]
public class MarkAttribute : Attribute { public MarkAttribute(Type type) { } }

public class Mark { public void Run() { } }

[Mark(typeof(Mark))]
public class Marked
{
    [MarkAttribute(typeof(Marked))]
    public void Use() { new Mark().Run(); }
}
