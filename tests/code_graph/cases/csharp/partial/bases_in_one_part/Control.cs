namespace Ui;

public interface IClickable
{
    void Click();
}

public class Control
{
    protected virtual void Draw() => Invalidate();

    protected void Layout() { }

    protected void Invalidate() { }
}
