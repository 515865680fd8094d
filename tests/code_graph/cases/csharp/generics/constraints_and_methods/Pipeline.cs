using System.Collections.Generic;

namespace Flow;

public interface IStep
{
    void Run();
}

public class Load : IStep
{
    public void Run() => Read();

    private void Read() { }

    public void Open() { }
}

public class Pipeline
{
    private readonly List<IStep> steps = new();

    public T Add<T>(T step) where T : IStep
    {
        steps.Add(step);
        return step;
    }

    public T Make<T>() where T : IStep, new()
    {
        return Add(new T());
    }

    public void Start()
    {
        Add(new Load()).Open();
        Make<Load>().Open();
        steps[0].Run();
        foreach (IStep step in steps)
            step.Run();
    }
}
