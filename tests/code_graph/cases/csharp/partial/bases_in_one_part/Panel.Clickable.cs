namespace Ui;

public partial class Panel : IClickable
{
    public void Click() => Invalidate();

    protected override void Draw() => base.Draw();
}
