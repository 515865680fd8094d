namespace Tools { public class Hammer { public void Global() { } } }
