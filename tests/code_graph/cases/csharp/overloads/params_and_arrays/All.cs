public class Joiner
{
    public string Join(string first) => first; // @single
    public string Join(params string[] all) => all[0]; // @all
    public string Join(object first, params object[] rest) => ""; // @objects

    public void Use(string[] texts)
    {
        Join("a");
        Join("a", "b");
        Join(texts);
        Join(1, "a", 2);
        Join();
    }
}
