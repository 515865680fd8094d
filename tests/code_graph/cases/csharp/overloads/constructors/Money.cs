namespace Bank;

public class Money
{
    private readonly decimal amount;

    public Money(decimal amount, string unit)
    {
        this.amount = Check(amount);
    }

    public Money(decimal amount) : this(amount, "EUR")
    {
    }

    private static decimal Check(decimal value) => value;

    public static Money Zero() => new Money(0);

    public static Money Of(decimal value) => new(value, "USD");
}

public class Coin : Money
{
    public Coin() : base(1)
    {
        Mint();
    }

    private void Mint() { }
}
