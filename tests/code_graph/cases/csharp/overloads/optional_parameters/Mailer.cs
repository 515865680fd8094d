namespace Mail;

public class Mailer
{
    public void Send(string to, string subject = "", bool urgent = false) // @full
    {
        Log(to);
    }

    public void Send(Message message) // @message
    {
        Send(message.To, urgent: true);
    }

    private void Log(string text, int level = 0) { }

    public void All(Message message)
    {
        Send("a");
        Send("a", "b");
        Send(message);
    }
}

public class Message
{
    public string To = "";
}
