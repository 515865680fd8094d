using System;
using System.Threading.Tasks;

public class Runner
{
    public void Run(Action action) { } // @action
    public T Run<T>(Func<T> function) => function(); // @function
    public void Each(Action<string> action) { } // @each
    public void Each(Action<string, int> action) { } // @indexed
    public Task Later(Func<Task> function) => function(); // @later
    public Task<T> Later<T>(Func<Task<T>> function) => function(); // @result

    private void Nothing() { }
    private int Number() => 1;

    public void Use()
    {
        Run(() => Nothing());
        Run(() => Number());
        Run(() => { Number(); });
        Run(() => { return Number(); });
        Run(() => throw new Exception());
        Each(text => { });
        Each((text, at) => { });
        Later(async () => await Task.Delay(1));
        Later(async () => { await Task.Delay(1); return 2; });
    }
}
