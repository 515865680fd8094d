namespace Zoo;

public abstract class Animal
{
    public void Live()
    {
        Eat();
        Sound();
    }

    protected virtual void Eat() => Rest();

    protected abstract string Sound();

    protected void Rest() { }

    public override string ToString() => Sound();
}

public class Bird : Animal
{
    protected override void Eat()
    {
        Peck();
        base.Eat();
    }

    protected override string Sound() => "tweet";

    private void Peck() { }

    public new void Rest() { }
}

public sealed class Parrot : Bird
{
    protected override string Sound() => base.Sound() + Word();

    private static string Word() => "hello";

    public void Sleep() => Rest();
}
