import java.io.IOException;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Writes what the graph of Java knows of the library: for each type of some packages its parameters,
 * bases and methods, {@code java JavaLibrary.java > code_graph/languages/java/rules/library.txt}.
 *
 * <p>A line is {@code Name<T>|package|kind|bases|methods|constants}; kind is c, i for interfaces, f for those of one
 * function. A method is {@code name(parameters)result}, after {@code =} if it is static, after
 * {@code *} if it is the one function, whose parameters have their type arguments; others have none.
 */
public final class JavaLibrary {
  private static final List<String> PACKAGES = List.of(
      "java.lang", "java.util", "java.util.function", "java.util.stream", "java.util.regex",
      "java.util.concurrent", "java.util.concurrent.atomic", "java.io", "java.nio", "java.nio.file",
      "java.nio.file.attribute", "java.nio.charset", "java.nio.channels", "java.net", "java.time",
      "java.time.format", "java.math", "java.text", "java.lang.reflect", "java.util.zip");

  private static final int CONSTANT = Modifier.PUBLIC | Modifier.STATIC;

  public static void main(String[] arguments) throws IOException {
    TreeMap<String, Class<?>> types = new TreeMap<>();
    Path modules = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("modules", "java.base");
    for (boolean isNested : new boolean[] {false, true}) {
      for (String name : PACKAGES) {
        try (Stream<Path> files = Files.list(modules.resolve(name.replace('.', '/')))) {
          for (Path each : files.sorted().collect(Collectors.toList())) {
            String file = each.getFileName().toString();
            if (!file.endsWith(".class") || file.contains("$") != isNested) continue;
            Class<?> type = loaded(name + "." + file.substring(0, file.length() - ".class".length()));
            if (type != null && isSeen(type)) types.putIfAbsent(type.getSimpleName(), type);
          }
        }
      }
    }
    System.out.println("# " + Runtime.version().feature() + ", written by bench/graph/JavaLibrary.java");
    types.values().forEach(type -> System.out.println(line(type)));
  }

  private static Class<?> loaded(String name) {
    try {
      return Class.forName(name, false, null);
    } catch (ClassNotFoundException | LinkageError problem) {
      return null;
    }
  }

  private static boolean isSeen(Class<?> type) {
    if (type.isAnonymousClass() || type.getSimpleName().isEmpty()) return false;
    for (Class<?> each = type; each != null; each = each.getEnclosingClass()) {
      if (!Modifier.isPublic(each.getModifiers())) return false;
    }
    return true;
  }

  private static String line(Class<?> type) {
    List<String> bases = new ArrayList<>();
    addBases(type, bases);
    Method function = function(type);
    Stream<Method> own = Arrays.stream(type.getDeclaredMethods());
    for (Class<?> each = type.getSuperclass(); each != null && !isSeen(each); each = each.getSuperclass()) {
      own = Stream.concat(own, Arrays.stream(each.getDeclaredMethods()));
    }
    Set<String> seen = new HashSet<>();
    String methods = own
        .filter(each -> !each.isSynthetic() && isInherited(each))
        .filter(each -> seen.add(each.getName() + Arrays.toString(each.getParameterTypes())))
        .map(each -> written(each, each.equals(function)))
        .sorted().collect(Collectors.joining(" "));
    String constants = Arrays.stream(type.getDeclaredFields())
        .filter(each -> (each.getModifiers() & CONSTANT) == CONSTANT)
        .map(each -> each.getName() + ":" + written(each.getGenericType()))
        .sorted().collect(Collectors.joining(" "));
    String kind = function != null ? "f" : type.isInterface() ? "i" : "c";
    return parameters(type) + "|" + type.getPackageName() + "|" + kind + "|" + String.join(" ", bases) + "|" + methods + "|" + constants;
  }

  /** The bases of a type, in place of one that is not public those of that. */
  private static void addBases(Class<?> type, List<String> bases) {
    Class<?> base = type.getSuperclass();
    if (base != null && isSeen(base)) bases.add(written(type.getGenericSuperclass()));
    else if (base != null) addBases(base, bases);
    for (Type each : type.getGenericInterfaces()) bases.add(written(each));
  }

  private static boolean isInherited(Method method) {
    return (method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0;
  }

  private static Method function(Class<?> type) {
    if (!type.isInterface()) return null;
    List<Method> found = Arrays.stream(type.getMethods())
        .filter(each -> Modifier.isAbstract(each.getModifiers()) && !isOfObject(each))
        .collect(Collectors.toList());
    return found.size() == 1 && found.get(0).getDeclaringClass() == type ? found.get(0) : null;
  }

  private static boolean isOfObject(Method method) {
    try {
      return Modifier.isPublic(
          Object.class.getDeclaredMethod(method.getName(), method.getParameterTypes()).getModifiers());
    } catch (NoSuchMethodException problem) {
      return false;
    }
  }

  private static String parameters(Class<?> type) {
    if (type.getTypeParameters().length == 0) return type.getSimpleName();
    return Arrays.stream(type.getTypeParameters()).map(TypeVariable::getName)
        .collect(Collectors.joining(",", type.getSimpleName() + "<", ">"));
  }

  private static String written(Method method, boolean isFunction) {
    Type[] types = isFunction ? method.getGenericParameterTypes() : method.getParameterTypes();
    String given = Arrays.stream(types).map(JavaLibrary::written).collect(Collectors.joining(","));
    if (method.isVarArgs()) given = given.substring(0, given.length() - 2) + "...";
    String mark = isFunction ? "*" : Modifier.isStatic(method.getModifiers()) ? "=" : "";
    return mark + method.getName() + "(" + given + ")" + written(method.getGenericReturnType());
  }

  private static String written(Type type) {
    if (type instanceof Class<?> plain) return plain.getSimpleName();
    if (type instanceof GenericArrayType array) return written(array.getGenericComponentType()) + "[]";
    if (type instanceof TypeVariable<?> variable) return variable.getName();
    if (type instanceof WildcardType wildcard) {
      Type[] lower = wildcard.getLowerBounds();
      return written(lower.length > 0 ? lower[0] : wildcard.getUpperBounds()[0]);
    }
    ParameterizedType generic = (ParameterizedType) type;
    return Arrays.stream(generic.getActualTypeArguments()).map(JavaLibrary::written)
        .collect(Collectors.joining(",", ((Class<?>) generic.getRawType()).getSimpleName() + "<", ">"));
  }
}
