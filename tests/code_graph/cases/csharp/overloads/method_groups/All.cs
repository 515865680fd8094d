using System;

public class Handlers
{
    public void On(Action<int> handler) { } // @number
    public void On(Func<string, bool> handler) { } // @test

    private void Count(int value) { }
    private bool IsLong(string text) => text.Length > 3;

    public void Use()
    {
        On(Count);
        On(IsLong);
    }
}
