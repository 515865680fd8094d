using System;

namespace Jobs;

public delegate void Job(string name);

public class Scheduler
{
    private readonly Job job;
    private Func<int, Result> factory = Build;

    public Scheduler(Job job)
    {
        this.job = job;
    }

    public void Run()
    {
        job("a");
        factory(1).Show();
        Repeat(Tick);
        Action local = Tick;
        local();
    }

    private static void Repeat(Action action) => action();

    private static void Tick() { }

    private static Result Build(int number) => new Result();

    public static void Start()
    {
        var scheduler = new Scheduler(Print);
        scheduler.Run();
        new Scheduler(name => Print(name)).Run();
    }

    private static void Print(string name) { }
}

public class Result
{
    public void Show() { }
}
