public class Engine { public void Start() { } }

public class Car
{
    public Engine Engine { get; } = new Engine();
    public Engine this[int at] => Engine;
    public Engine this[string name] { get { return Find(name); } }
    private Engine Find(string name) => Engine;

    public void Drive()
    {
        Engine.Start();
        this[0].Start();
        this["a"].Start();
        this.Engine?.Start();
    }
}
