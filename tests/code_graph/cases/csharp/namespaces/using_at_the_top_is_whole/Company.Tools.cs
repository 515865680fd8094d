namespace Company.Tools { public class Hammer { public void Inner() { } } }
