public class Asserts
{
    public void True(bool value, string why) { } // @bool
    public void True(bool? value, string why) { } // @maybe

    public void Use(bool flag)
    {
        True(flag, "a");
        True(1 < 2, "b");
        True(null, "c");
    }
}
