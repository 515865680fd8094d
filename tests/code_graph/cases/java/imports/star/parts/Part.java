package imports.star.parts;

public class Part {
  public void use() { }
  public static void help() { }
}
