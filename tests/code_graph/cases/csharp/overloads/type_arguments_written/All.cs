public class Factory
{
    public object Make() => null; // @plain
    public T Make<T>() => default; // @one
    public T Make<T, U>(U from) => default; // @two

    public void Use()
    {
        Make();
        Make<Factory>().Use();
        this.Make<Factory, int>(1).Use();
    }
}
