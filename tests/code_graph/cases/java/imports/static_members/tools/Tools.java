package imports.static_members.tools;

public class Tools {
  public static final Tools SHARED = new Tools();
  public static int twice(int x) { return x; }
  public static String twice(String x) { return x; }
  public void use() { }
}
