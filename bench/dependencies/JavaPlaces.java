import com.sun.source.tree.*;
import com.sun.source.util.*;
import com.sun.tools.javac.code.Symbol;
import com.sun.tools.javac.tree.JCTree;
import com.sun.tools.javac.tree.TreeInfo;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.tools.*;

/**
 * Writes what javac says of each name of a project that a library declares.
 *
 * <p>{@code java --add-exports … JavaPlaces.java ROOT LIBRARIES OUT}: every source file below ROOT is
 * attributed, with the sources of libraries in the folders that LIBRARIES joins. A row is path, line and
 * column of a use, and path and line of the declaration's name, separated by tabs. A method that is
 * called on an argument of unknown type is left out.
 */
public final class JavaPlaces extends TreePathScanner<Void, Void> {
  private final Path root;
  private final List<Path> libraries;
  private final Trees trees;
  private final PrintWriter out;
  private CompilationUnitTree unit;
  private String text;

  private JavaPlaces(Path root, List<Path> libraries, Trees trees, PrintWriter out) {
    this.root = root;
    this.libraries = libraries;
    this.trees = trees;
    this.out = out;
  }

  public static void main(String[] arguments) throws IOException {
    Path root = Path.of(arguments[0]).toRealPath();
    List<Path> libraries = Arrays.stream(arguments[1].split(":")).map(Path::of).collect(Collectors.toList());
    List<Path> files;
    try (Stream<Path> walk = Files.walk(root)) {
      files = walk.filter(each -> each.toString().endsWith(".java"))
          .filter(each -> !each.endsWith("module-info.java") && !each.endsWith("package-info.java"))
          .sorted().collect(Collectors.toList());
    }
    List<String> options = List.of("-proc:none", "-nowarn", "-implicit:none", "--should-stop=ifError=FLOW",
        "-sourcepath", arguments[1]);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        PrintWriter out = new PrintWriter(arguments[2], StandardCharsets.UTF_8)) {
      JavacTask task = (JavacTask) compiler.getTask(null, manager, problem -> {}, options, null,
          manager.getJavaFileObjectsFromPaths(files));
      List<CompilationUnitTree> units = new ArrayList<>();
      task.parse().forEach(units::add);
      task.analyze();
      JavaPlaces places = new JavaPlaces(root, libraries, Trees.instance(task), out);
      for (CompilationUnitTree each : units) places.read(each);
    }
  }

  private void read(CompilationUnitTree read) throws IOException {
    unit = read;
    text = read.getSourceFile().getCharContent(true).toString();
    scan(read, null);
  }

  private static Tree bare(Tree type) {
    if (type instanceof ParameterizedTypeTree generic) return bare(generic.getType());
    return type instanceof AnnotatedTypeTree noted ? bare(noted.getUnderlyingType()) : type;
  }

  /** Where the last name of a tree begins. */
  private int nameAt(Tree tree) {
    Tree name = bare(tree);
    if (name instanceof MemberSelectTree select) {
      return (int) trees.getSourcePositions().getEndPosition(unit, name) - select.getIdentifier().length();
    }
    return (int) trees.getSourcePositions().getStartPosition(unit, name);
  }

  private void use(int at, Symbol symbol) {
    if (at < 0 || symbol == null || symbol.kind.isResolutionError() || symbol.owner == null) return;
    Symbol plain = symbol.baseSymbol();
    TreePath found = trees.getPath(plain);
    boolean isImplicit = found == null || plain.getKind() == ElementKind.CONSTRUCTOR
        && (plain.flags() & com.sun.tools.javac.code.Flags.GENERATEDCONSTR) != 0;
    if (isImplicit) {
      if (plain.getKind() != ElementKind.CONSTRUCTOR) return;
      found = trees.getPath(plain.owner);
    }
    if (found == null) return;
    CompilationUnitTree other = found.getCompilationUnit();
    Path file = Path.of(other.getSourceFile().toUri());
    for (Path library : libraries) {
      if (file.startsWith(library)) {
        int from = position(found, other);
        long line = unit.getLineMap().getLineNumber(at);
        int first = (int) unit.getLineMap().getStartPosition(line);
        String path = root.relativize(Path.of(unit.getSourceFile().toUri())).toString();
        out.println(path + "\t" + line + "\t" + text.codePointCount(first, at) + "\t" + file + "\t"
            + other.getLineMap().getLineNumber(from));
      }
    }
  }

  /** The place of the name of a declaration. */
  private static int position(TreePath declared, CompilationUnitTree other) {
    JCTree tree = (JCTree) declared.getLeaf();
    if (!(tree instanceof JCTree.JCClassDecl type)) return tree.pos;
    try {
      String content = other.getSourceFile().getCharContent(true).toString();
      int from = Math.max(tree.pos, 0);
      return content.indexOf(type.name.toString(), from);
    } catch (IOException problem) {
      return tree.pos;
    }
  }

  @Override
  public Void visitMethodInvocation(MethodInvocationTree node, Void unused) {
    use(nameAt(node.getMethodSelect()), TreeInfo.symbol((JCTree) node.getMethodSelect()));
    scan(node.getTypeArguments(), unused);
    if (node.getMethodSelect() instanceof MemberSelectTree select) scan(select.getExpression(), unused);
    return scan(node.getArguments(), unused);
  }

  @Override
  public Void visitNewClass(NewClassTree node, Void unused) {
    JCTree.JCNewClass tree = (JCTree.JCNewClass) node;
    Symbol made = tree.constructor;
    if (tree.def != null) made = TreeInfo.symbol(tree.clazz);
    use(nameAt(node.getIdentifier()), made);
    scan(node.getEnclosingExpression(), unused);
    if (bare(node.getIdentifier()) instanceof MemberSelectTree select) scan(select.getExpression(), unused);
    if (node.getIdentifier() instanceof ParameterizedTypeTree generic) scan(generic.getTypeArguments(), unused);
    scan(node.getTypeArguments(), unused);
    scan(node.getArguments(), unused);
    return scan(node.getClassBody(), unused);
  }

  @Override
  public Void visitIdentifier(IdentifierTree node, Void unused) {
    use(nameAt(node), ((JCTree.JCIdent) node).sym);
    return null;
  }

  @Override
  public Void visitMemberSelect(MemberSelectTree node, Void unused) {
    use(nameAt(node), ((JCTree.JCFieldAccess) node).sym);
    return super.visitMemberSelect(node, unused);
  }

  @Override
  public Void visitMemberReference(MemberReferenceTree node, Void unused) {
    boolean makes = node.getMode() == MemberReferenceTree.ReferenceMode.NEW;
    int end = (int) trees.getSourcePositions().getEndPosition(unit, node);
    int length = (makes ? "new" : node.getName().toString()).length();
    use(end - length, ((JCTree.JCMemberReference) node).sym);
    return super.visitMemberReference(node, unused);
  }
}
