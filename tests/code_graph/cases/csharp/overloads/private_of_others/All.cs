using System.Collections.Generic;

public class Settings
{
    public void Load(IEnumerable<string> lines) { } // @lines
    private void Load(List<string> lines) { } // @list

    public void Inside(List<string> lines) { Load(lines); }
}

public class User
{
    public void Use(Settings settings, List<string> lines) { settings.Load(lines); }
}
