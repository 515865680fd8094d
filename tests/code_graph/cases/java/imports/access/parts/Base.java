package imports.access.parts;

public class Base {
  void take(String s) { } // @base_package
  protected void take(Object o) { } // @base_protected
  private void take(CharSequence c) { } // @base_private
}
