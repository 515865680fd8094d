using System.Collections.Generic;

public class Box
{
    public void Put(int value) { } // @int
    public void Put<T>(T value) { } // @generic
    public void Put<T>(IEnumerable<T> values) { } // @sequence
    public void Put<T>(T value, T other) { } // @pair

    public void Use(List<string> texts)
    {
        Put(1);
        Put("a");
        Put<int>(2);
        Put(texts);
        Put<string>(texts);
        Put(1, 2);
    }
}
