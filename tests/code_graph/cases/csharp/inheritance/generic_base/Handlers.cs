namespace Bus;

public abstract class Handler<TMessage>
{
    public void Receive(TMessage message)
    {
        Handle(message);
        Dispose();
    }

    protected abstract void Handle(TMessage message);

    protected virtual void Dispose() { }
}

public class Ping
{
    public string Id() => "";
}

public class PingHandler : Handler<Ping>
{
    protected override void Handle(Ping message) => message.Id();

    public static void Run() => new PingHandler().Receive(new Ping());
}
