namespace Site.Parts
{
    public class Header { public void Draw() { } }

    namespace Deep { public class Menu { public void Open() { } } }
}
