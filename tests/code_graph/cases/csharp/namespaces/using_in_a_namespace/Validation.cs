namespace Validation
{
    using Internal;
    using Rules.Deep;

    public class Validator
    {
        public void Run() { new Chain().Link(); Pattern.Match(); this.Extended(); }
    }
}
