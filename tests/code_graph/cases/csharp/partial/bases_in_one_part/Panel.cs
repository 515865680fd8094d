namespace Ui;

public partial class Panel : Control
{
    public void Show()
    {
        Draw();
        Layout();
    }
}
