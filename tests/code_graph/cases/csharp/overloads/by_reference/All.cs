public class Parser
{
    public bool Parse(string text) => true; // @value
    public bool Parse(ref string text) => true; // @reference
    public bool Get(string key, out int value) { value = 0; return true; } // @number
    public bool Get(string key, out string value) { value = ""; return true; } // @text

    public void Use()
    {
        string text = "a";
        Parse(text);
        Parse(ref text);
        Get("a", out int number);
        string found;
        Get("a", out found);
    }
}
