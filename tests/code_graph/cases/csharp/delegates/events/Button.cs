using System;

namespace Forms;

public class Button
{
    public event EventHandler<ClickArgs>? Clicked;

    public void Press()
    {
        OnClicked(new ClickArgs(1));
    }

    protected virtual void OnClicked(ClickArgs args) => Clicked?.Invoke(this, args);
}

public class ClickArgs : EventArgs
{
    public ClickArgs(int count) { }

    public int Count() => 1;
}
