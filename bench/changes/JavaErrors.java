import com.sun.source.util.JavacTask;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** A Java compiler that stays up: each line on its input asks for all errors below src. */
public final class JavaErrors {
    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(URI place, String text) {
            super(place, Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignored) {
            return text;
        }
    }

    public static void main(String[] arguments) throws IOException {
        Path root = Path.of("").toAbsolutePath();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager manager =
                compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        List<String> options = List.of("-proc:none", "-nowarn", "-Xmaxerrs", "100000",
                "-XDshould-stop.ifError=FLOW", "-cp", arguments[0]);
        BufferedReader asked = new BufferedReader(new InputStreamReader(System.in));
        while (asked.readLine() != null) {
            List<Source> sources = new ArrayList<>();
            TreeSet<String> files = new TreeSet<>();
            try (Stream<Path> paths = Files.walk(root.resolve("src"))) {
                for (Path path : paths.filter(item -> item.toString().endsWith(".java")).sorted()
                        .collect(Collectors.toList())) {
                    sources.add(new Source(path.toUri(), Files.readString(path)));
                    files.add("\"" + relative(root, path.toUri()) + "\"");
                }
            }
            DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
            JavacTask task = (JavacTask) compiler.getTask(
                    null, manager, found, options, null, sources);
            task.analyze();
            TreeSet<String> errors = new TreeSet<>();
            for (Diagnostic<? extends JavaFileObject> item : found.getDiagnostics()) {
                if (item.getKind() == Diagnostic.Kind.ERROR && item.getSource() != null) {
                    errors.add("[\"" + relative(root, item.getSource().toUri()) + "\","
                            + item.getLineNumber() + "]");
                }
            }
            System.out.println("{\"errors\":[" + String.join(",", errors) + "],\"files\":["
                    + String.join(",", files) + "]}");
        }
    }

    private static String relative(Path root, URI place) {
        return root.relativize(Path.of(place)).toString();
    }
}
