using System;

public class Pipe
{
    private readonly Func<string, Token> parse;
    public Pipe() { parse = Parse; }
    private Token Parse(string text) => new Token();
    public Func<Token> Later(string text) => () => Parse(text);
    public void Run() { Later("a")().Show(); parse("b").Show(); parse.Invoke("c").Show(); }
}

public class Token { public void Show() { } }
