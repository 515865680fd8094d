namespace Result;

public class Outcome
{
    public void Log() { } // @plain_log

    public static Outcome<T> Of<T>(T value) => new Outcome<T>(value);
}

public class Outcome<T>
{
    private readonly T value;

    public Outcome(T value)
    {
        this.value = value;
    }

    public T Value() => value; // @value

    public void Log() { } // @typed_log

    public Outcome<R> Map<R>(System.Func<T, R> change) => new(change(value)); // @map
}

public class Text
{
    public Text Upper() => this;

    public static void Run()
    {
        Outcome.Of(new Text()).Value().Upper();
        new Outcome().Log();
        new Outcome<Text>(new Text()).Log();
        Outcome.Of(1).Map(number => new Text()).Value().Upper();
    }
}
