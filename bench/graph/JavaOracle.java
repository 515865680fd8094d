import com.sun.source.tree.*;
import com.sun.source.util.*;
import com.sun.tools.javac.api.BasicJavacTask;
import com.sun.tools.javac.code.Flags;
import com.sun.tools.javac.code.Kinds;
import com.sun.tools.javac.code.Symbol;
import com.sun.tools.javac.code.Type;
import com.sun.tools.javac.code.Types;
import com.sun.tools.javac.tree.JCTree;
import com.sun.tools.javac.tree.TreeInfo;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.lang.model.util.Elements;
import javax.tools.*;

/**
 * Writes what javac says of a project as JSON lines, in the form of edges.py.
 *
 * <p>{@code java --add-exports … JavaOracle.java ROOT OUT}: every source file below ROOT is attributed,
 * all of them together. Names that depend on what is missing are not judged.
 */
public final class JavaOracle {
  private static final Set<String> NO_NAMES = Set.of("this", "super", "class", "<error>");

  private final Path root;
  private final Trees trees;
  private final Elements elements;
  private final Types types;
  private final Set<String> rows = new LinkedHashSet<>();
  private final Map<Symbol, String> places = new IdentityHashMap<>();
  private final Map<Tree, String> owners = new IdentityHashMap<>();

  private JavaOracle(Path root, JavacTask task) {
    this.root = root;
    trees = Trees.instance(task);
    elements = task.getElements();
    types = Types.instance(((BasicJavacTask) task).getContext());
  }

  public static void main(String[] arguments) throws IOException {
    Path root = Path.of(arguments[0]).toRealPath();
    List<Path> files;
    try (Stream<Path> walk = Files.walk(root)) {
      files = walk.filter(each -> each.toString().endsWith(".java"))
          .filter(each -> !each.endsWith("module-info.java")).sorted().collect(Collectors.toList());
    }
    List<String> options =
        List.of("-proc:none", "-nowarn", "-implicit:none", "--should-stop=ifError=FLOW");
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager manager =
        compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
      JavacTask task = (JavacTask) compiler.getTask(null, manager, problem -> {}, options, null,
          manager.getJavaFileObjectsFromPaths(files));
      List<CompilationUnitTree> units = new ArrayList<>();
      task.parse().forEach(units::add);
      task.analyze();
      JavaOracle oracle = new JavaOracle(root, task);
      for (CompilationUnitTree unit : units) oracle.new Declared(unit).scan(unit, null);
      for (CompilationUnitTree unit : units) oracle.new Used(unit).scan(unit, null);
      try (PrintWriter out = new PrintWriter(arguments[1], StandardCharsets.UTF_8)) {
        oracle.rows.forEach(out::println);
      }
    }
  }

  private static String json(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  private static Symbol symbolOf(Tree tree) {
    if (tree instanceof JCTree.JCMethodDecl method) return method.sym;
    if (tree instanceof JCTree.JCVariableDecl variable) return variable.sym;
    return tree instanceof JCTree.JCClassDecl type ? type.sym : null;
  }

  private static boolean isField(TreePath path) {
    Tree above = path.getParentPath().getLeaf();
    return path.getLeaf() instanceof VariableTree && above instanceof ClassTree;
  }

  private static boolean isConstant(Tree tree) {
    return tree instanceof JCTree.JCVariableDecl variable && variable.sym != null
        && variable.sym.getKind() == ElementKind.ENUM_CONSTANT;
  }

  /** The expression of a type without its arguments and annotations. */
  private static Tree bare(Tree type) {
    if (type instanceof ParameterizedTypeTree generic) return bare(generic.getType());
    return type instanceof AnnotatedTypeTree noted ? bare(noted.getUnderlyingType()) : type;
  }

  private static String lastName(Tree type) {
    Tree name = bare(type);
    if (name instanceof MemberSelectTree select) return select.getIdentifier().toString();
    return name.toString();
  }

  /** A visitor of one file that knows places in it. */
  private abstract class InFile extends TreePathScanner<Void, Void> {
    final CompilationUnitTree unit;
    final String path;
    final String text;
    private final SourcePositions positions = trees.getSourcePositions();

    InFile(CompilationUnitTree unit) {
      this.unit = unit;
      path = root.relativize(Path.of(unit.getSourceFile().toUri())).toString().replace('\\', '/');
      try {
        text = unit.getSourceFile().getCharContent(true).toString();
      } catch (IOException problem) {
        throw new UncheckedIOException(problem);
      }
    }

    int start(Tree tree) {
      return (int) positions.getStartPosition(unit, tree);
    }

    int end(Tree tree) {
      return (int) positions.getEndPosition(unit, tree);
    }

    String place(int offset) {
      LineMap lines = unit.getLineMap();
      long line = lines.getLineNumber(offset);
      int first = (int) lines.getStartPosition(line);
      return "[" + json(path) + "," + line + "," + text.codePointCount(first, offset) + "]";
    }

    String where(int offset, String name) {
      return "[" + json(path) + "," + unit.getLineMap().getLineNumber(offset) + "," + json(name) + "]";
    }

    String file() {
      return "[" + json(path) + ",0,\"\"]";
    }

    /** Where the last name of a tree begins; -1 if it has none in the text. */
    int nameAt(Tree tree) {
      Tree name = bare(tree);
      if (name instanceof IdentifierTree) return start(name);
      int end = end(name);
      if (name instanceof MemberSelectTree select) return end - select.getIdentifier().length();
      if (name instanceof MemberReferenceTree reference) {
        boolean makes = reference.getMode() == MemberReferenceTree.ReferenceMode.NEW;
        return end - (makes ? "new" : reference.getName().toString()).length();
      }
      return -1;
    }
  }

  /** Collects the declarations, and numbers classes without a name. */
  private final class Declared extends InFile {
    private final Map<String, Integer> counts = new HashMap<>();

    Declared(CompilationUnitTree unit) {
      super(unit);
    }

    @Override
    public Void visitClass(ClassTree node, Void unused) {
      JCTree.JCClassDecl tree = (JCTree.JCClassDecl) node;
      Tree above = getCurrentPath().getParentPath().getLeaf();
      if (!node.getSimpleName().isEmpty()) {
        String name = node.getSimpleName().toString();
        declare(tree, text.indexOf(name, tree.pos + 1), name, kind(tree.sym));
      } else if (above instanceof NewClassTree made) {
        Tree holder = getCurrentPath().getParentPath().getParentPath().getLeaf();
        if (isConstant(holder)) {
          owners.put(tree, owners.get(holder));
          if (tree.sym != null) places.put(tree.sym, owners.get(holder));
        } else {
          String base = lastName(made.getIdentifier());
          String around = around(getCurrentPath().getParentPath());
          int number = counts.merge(around + base, 1, Integer::sum);
          declare(tree, ((JCTree) made).pos, base + "$" + number, "class");
        }
      }
      return super.visitClass(node, unused);
    }

    private String around(TreePath from) {
      for (TreePath at = from.getParentPath(); at != null; at = at.getParentPath()) {
        Tree leaf = at.getLeaf();
        if (owners.containsKey(leaf)) return System.identityHashCode(leaf) + " ";
      }
      return "";
    }

    @Override
    public Void visitMethod(MethodTree node, Void unused) {
      JCTree.JCMethodDecl tree = (JCTree.JCMethodDecl) node;
      boolean makes = node.getName().contentEquals("<init>");
      boolean isExplicit = tree.sym == null || elements.getOrigin(tree.sym) == Elements.Origin.EXPLICIT;
      if (isExplicit && (tree.mods.flags & (Flags.GENERATEDCONSTR | Flags.GENERATED_MEMBER)) == 0) {
        Tree holder = getCurrentPath().getParentPath().getLeaf();
        String name = (makes ? ((ClassTree) holder).getSimpleName() : node.getName()).toString();
        declare(tree, tree.pos, name, "method");
        if (makes && tree.sym != null && places.containsKey(tree.sym.owner)) {
          rows.add("{\"constructor\":" + places.get(tree.sym) + ",\"of\":"
              + places.get(tree.sym.owner) + "}");
        }
      }
      return super.visitMethod(node, unused);
    }

    @Override
    public Void visitVariable(VariableTree node, Void unused) {
      JCTree.JCVariableDecl tree = (JCTree.JCVariableDecl) node;
      if (isField(getCurrentPath())) declare(tree, tree.pos, node.getName().toString(), "property");
      return super.visitVariable(node, unused);
    }

    private void declare(JCTree tree, int offset, String name, String kind) {
      String found = where(offset, name);
      owners.put(tree, found);
      Symbol symbol = symbolOf(tree);
      if (symbol != null) places.put(symbol, found);
      rows.add("{\"declared\":" + found + ",\"kind\":" + json(kind) + "}");
    }

    private String kind(Symbol symbol) {
      ElementKind kind = symbol == null ? ElementKind.CLASS : symbol.getKind();
      if (kind == ElementKind.ENUM) return "enum";
      return kind.isInterface() ? "interface" : "class";
    }
  }

  /** Judges each use. */
  private final class Used extends InFile {
    Used(CompilationUnitTree unit) {
      super(unit);
    }

    private String owner() {
      for (TreePath at = getCurrentPath(); at != null; at = at.getParentPath()) {
        String found = owners.get(at.getLeaf());
        if (found != null) return found;
      }
      return file();
    }

    private void judge(String type, int offset, String from, Collection<String> targets) {
      if (offset < 0) return;
      String at = place(offset);
      rows.add("{\"judged\":" + json(type) + ",\"at\":" + at + "}");
      for (String target : targets) {
        rows.add("{\"type\":" + json(type) + ",\"from\":" + from + ",\"to\":" + target + ",\"at\":"
            + at + "}");
      }
    }

    private boolean isKnown(Symbol symbol) {
      return symbol != null && symbol.kind != Kinds.Kind.ERR
          && symbol.exists() && (symbol.type == null || !symbol.type.isErroneous()
              || places.containsKey(symbol));
    }

    private boolean isKnown(List<? extends ExpressionTree> arguments) {
      for (ExpressionTree each : arguments) {
        Type type = ((JCTree) each).type;
        if (type == null || type.isErroneous()) return false;
      }
      return true;
    }

    /** What stands for a symbol: itself, the component of an accessor, the class of a constructor. */
    private List<String> targets(Symbol symbol) {
      String found = places.get(symbol.baseSymbol());
      if (found == null && symbol.getKind() == ElementKind.CONSTRUCTOR) found = places.get(symbol.owner);
      return found == null ? List.of() : List.of(found);
    }

    private Symbol accessed(Symbol symbol) {
      if (places.containsKey(symbol) || symbol.owner.getKind() != ElementKind.RECORD) return null;
      for (Symbol each : symbol.owner.members().getSymbolsByName(symbol.name)) {
        if (each.getKind() == ElementKind.FIELD && places.containsKey(each)) return each;
      }
      return null;
    }

    @Override
    public Void visitMethodInvocation(MethodInvocationTree node, Void unused) {
      Tree name = node.getMethodSelect();
      Symbol symbol = TreeInfo.symbol((JCTree) name);
      if (isKnown(symbol) && isKnown(node.getArguments()) && isWritten(name)) {
        Symbol component = accessed(symbol);
        if (component != null) {
          judge("references", nameAt(name), owner(), targets(component));
        } else {
          judge("calls", nameAt(name), owner(), targets(symbol));
          if (symbol.getKind() == ElementKind.METHOD) {
            judge("references", nameAt(name), owner(), targets(symbol));
          }
        }
      }
      scan(node.getTypeArguments(), unused);
      if (name instanceof MemberSelectTree select) scan(select.getExpression(), unused);
      return scan(node.getArguments(), unused);
    }

    /** False for the call of a base constructor that the compiler adds. */
    private boolean isWritten(Tree name) {
      for (TreePath at = getCurrentPath(); at != null; at = at.getParentPath()) {
        if (at.getLeaf() instanceof JCTree.JCMethodDecl method) return owners.containsKey(method)
            && end(name) > 0 && text.startsWith(lastName(name), nameAt(name));
      }
      return true;
    }

    @Override
    public Void visitNewClass(NewClassTree node, Void unused) {
      JCTree.JCNewClass tree = (JCTree.JCNewClass) node;
      Tree above = getCurrentPath().getParentPath().getLeaf();
      Symbol made = tree.def == null ? tree.constructor : baseConstructor(tree.def);
      int at = isConstant(above) ? ((JCTree.JCVariableDecl) above).pos : nameAt(node.getIdentifier());
      boolean isImplicit = isConstant(above) && made != null && !places.containsKey(made);
      if (isKnown(made) && isKnown(node.getArguments()) && !isImplicit) {
        boolean isMade = !made.owner.isInterface() && made.owner.getKind() != ElementKind.ANNOTATION_TYPE;
        judge("calls", at, owner(), isMade ? targets(made) : List.of());
      }
      scan(node.getEnclosingExpression(), unused);
      if (!isConstant(above)) scan(node.getIdentifier(), unused);
      scan(node.getTypeArguments(), unused);
      scan(node.getArguments(), unused);
      return scan(node.getClassBody(), unused);
    }

    private Symbol baseConstructor(JCTree.JCClassDecl type) {
      if (type.sym == null) return null;
      List<Type> interfaces = type.sym.getInterfaces();
      if (!interfaces.isEmpty()) {
        Symbol object = type.sym.getSuperclass().tsym;
        return object.getEnclosedElements().stream()
            .filter(each -> each.getKind() == ElementKind.CONSTRUCTOR).findFirst().orElse(null);
      }
      for (JCTree each : type.defs) {
        if (!(each instanceof JCTree.JCMethodDecl method) || !method.name.contentEquals("<init>")) continue;
        if (method.body.stats.head instanceof JCTree.JCExpressionStatement first
            && first.expr instanceof JCTree.JCMethodInvocation call) {
          return TreeInfo.symbol(call.meth);
        }
      }
      return null;
    }

    @Override
    public Void visitIdentifier(IdentifierTree node, Void unused) {
      if (!NO_NAMES.contains(node.getName().toString())) use(node, ((JCTree.JCIdent) node).sym);
      return null;
    }

    @Override
    public Void visitMemberSelect(MemberSelectTree node, Void unused) {
      if (!NO_NAMES.contains(node.getIdentifier().toString())) {
        use(node, ((JCTree.JCFieldAccess) node).sym);
      }
      return super.visitMemberSelect(node, unused);
    }

    @Override
    public Void visitMemberReference(MemberReferenceTree node, Void unused) {
      Symbol symbol = ((JCTree.JCMemberReference) node).sym;
      if (isKnown(symbol)) {
        Symbol component = accessed(symbol);
        judge("references", nameAt(node), owner(), targets(component == null ? symbol : component));
      }
      return super.visitMemberReference(node, unused);
    }

    private void use(Tree node, Symbol symbol) {
      if (!isKnown(symbol) || symbol.getKind() == ElementKind.PACKAGE) return;
      if (start(node) < 0 || end(node) < 0 || !text.startsWith(lastName(node), nameAt(node))) return;
      judge("references", nameAt(node), owner(), targets(symbol));
    }

    @Override
    public Void visitImport(ImportTree node, Void unused) {
      return null;
    }

    @Override
    public Void visitPackage(PackageTree node, Void unused) {
      return scan(node.getAnnotations(), unused);
    }

    @Override
    public Void visitVariable(VariableTree node, Void unused) {
      if (isConstant(node)) {
        scan(node.getModifiers().getAnnotations(), unused);
        return scan(node.getInitializer(), unused);
      }
      return super.visitVariable(node, unused);
    }

    @Override
    public Void visitMethod(MethodTree node, Void unused) {
      if (!owners.containsKey(node)) return null;
      JCTree.JCMethodDecl tree = (JCTree.JCMethodDecl) node;
      if (tree.sym != null && tree.sym.getKind() == ElementKind.METHOD) overridden(tree);
      return super.visitMethod(node, unused);
    }

    /** The member of the nearest base class, and those of all interfaces. */
    private void overridden(JCTree.JCMethodDecl tree) {
      Symbol.MethodSymbol own = tree.sym;
      Symbol.ClassSymbol type = (Symbol.ClassSymbol) own.owner;
      List<String> found = new ArrayList<>();
      boolean isClassDone = false;
      for (Type each : types.closure(type.type)) {
        if (each.tsym == type || own.isStatic()) continue;
        boolean isInterface = each.tsym.isInterface();
        if (isClassDone && !isInterface) continue;
        for (Symbol member : each.tsym.members().getSymbolsByName(own.name)) {
          if (member.getKind() == ElementKind.METHOD && !member.isStatic()
              && own.overrides(member, type, types, false)) {
            found.addAll(targets(member));
            isClassDone |= !isInterface;
          }
        }
      }
      judge("overrides", tree.pos, owners.get(tree), found);
    }

    @Override
    public Void visitClass(ClassTree node, Void unused) {
      JCTree.JCClassDecl tree = (JCTree.JCClassDecl) node;
      Tree above = getCurrentPath().getParentPath().getLeaf();
      List<Tree> bases = new ArrayList<>(node.getImplementsClause());
      if (node.getExtendsClause() != null) bases.add(node.getExtendsClause());
      if (node.getSimpleName().isEmpty()) {
        bases.clear();
        Tree holder = getCurrentPath().getParentPath().getParentPath().getLeaf();
        if (isConstant(holder)) {
          int at = ((JCTree.JCVariableDecl) holder).pos;
          judge("implements", at, owners.get(tree), targets(((JCTree.JCVariableDecl) holder).sym.owner));
        } else if (above instanceof NewClassTree made) bases.add(made.getIdentifier());
      }
      for (Tree base : bases) {
        Symbol symbol = TreeInfo.symbol((JCTree) bare(base));
        if (isKnown(symbol)) judge("implements", nameAt(base), owners.get(tree), targets(symbol));
      }
      scan(node.getModifiers(), unused);
      scan(node.getTypeParameters(), unused);
      if (!node.getSimpleName().isEmpty()) {
        scan(node.getExtendsClause(), unused);
        scan(node.getImplementsClause(), unused);
        scan(node.getPermitsClause(), unused);
      }
      return scan(node.getMembers(), unused);
    }
  }
}
