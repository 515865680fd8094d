// Writes the declarations of Java files as JSON lines: the paths are read from standard input.

import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.util.*;
import javax.tools.*;

public class Java {
    public static void main(String[] arguments) throws Exception {
        List<File> paths = new ArrayList<>();
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        for (String line = input.readLine(); line != null; line = input.readLine()) paths.add(new File(line));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null);
        for (File path : paths) {
            DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
            JavacTask task = (JavacTask) compiler.getTask(
                null, manager, problems, List.of("-proc:none"), null, manager.getJavaFileObjects(path));
            for (CompilationUnitTree unit : task.parse()) {
                boolean failed = problems.getDiagnostics().stream()
                    .anyMatch(each -> each.getKind() == Diagnostic.Kind.ERROR);
                if (failed) System.out.println("{\"failed\": \"" + path + "\"}");
                else new Scan(path.getPath(), unit, Trees.instance(task)).scan(unit, null);
            }
        }
    }

    static class Scan extends TreePathScanner<Void, Void> {
        final String path;
        final CompilationUnitTree unit;
        final SourcePositions positions;
        final String text;

        Scan(String path, CompilationUnitTree unit, Trees trees) throws IOException {
            this.path = path;
            this.unit = unit;
            this.positions = trees.getSourcePositions();
            this.text = unit.getSourceFile().getCharContent(true).toString();
        }

        void write(String kind, String name, Tree tree, long from) {
            long at = Math.max(from, positions.getStartPosition(unit, tree));
            java.util.regex.Matcher found =
                java.util.regex.Pattern.compile("\\b" + java.util.regex.Pattern.quote(name) + "\\b").matcher(text);
            if (!found.find((int) at)) return;
            long line = unit.getLineMap().getLineNumber(found.start());
            System.out.println("{\"path\": \"" + path + "\", \"kind\": \"" + kind + "\", \"name\": \""
                + name + "\", \"line\": " + line + "}");
        }

        long after(Tree tree) {
            long end = tree == null ? -1 : positions.getEndPosition(unit, tree);
            return end < 0 ? 0 : end;
        }

        @Override public Void visitClass(ClassTree node, Void nothing) {
            String name = node.getSimpleName().toString();
            if (!name.isEmpty()) write("type", name, node, after(node.getModifiers()));
            return super.visitClass(node, nothing);
        }

        @Override public Void visitMethod(MethodTree node, Void nothing) {
            Tree holder = getCurrentPath().getParentPath().getLeaf();
            boolean isConstructor = node.getName().contentEquals("<init>");
            String name = isConstructor
                ? ((ClassTree) holder).getSimpleName().toString() : node.getName().toString();
            long from = Math.max(after(node.getModifiers()), after(node.getReturnType()));
            if (!name.isEmpty() && positions.getStartPosition(unit, node) >= 0
                && positions.getEndPosition(unit, node) >= 0) {
                write(isConstructor ? "constructor" : "method", name, node, from);
            }
            return super.visitMethod(node, nothing);
        }

        @Override public Void visitVariable(VariableTree node, Void nothing) {
            if (getCurrentPath().getParentPath().getLeaf() instanceof ClassTree) {
                String head = node.toString();
                boolean isConstant = head.contains("/*public static final*/");
                write(isConstant ? "enumerator" : "field", node.getName().toString(), node,
                    isConstant ? after(node.getModifiers()) : Math.max(after(node.getModifiers()), after(node.getType())));
            }
            return super.visitVariable(node, nothing);
        }
    }
}
