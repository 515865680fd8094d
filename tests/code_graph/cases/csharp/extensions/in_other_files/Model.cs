namespace Models { public class Order { } }
