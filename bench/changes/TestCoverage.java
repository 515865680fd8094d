import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import org.jacoco.agent.rt.IAgent;
import org.jacoco.agent.rt.RT;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.CoverageBuilder;
import org.jacoco.core.analysis.ICounter;
import org.jacoco.core.analysis.ISourceFileCoverage;
import org.jacoco.core.data.ExecutionData;
import org.jacoco.core.data.ExecutionDataReader;
import org.jacoco.core.data.ExecutionDataStore;
import org.jacoco.core.data.SessionInfoStore;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs the tests of a folder of classes with JaCoCo's agent, and writes the lines that each has run.
 *
 * Arguments: the folder of tests, the folder of what is measured, the file to write. Of a test there is
 * a line with its class, method and seconds, then one for each source file with its lines.
 */
public final class TestCoverage implements TestExecutionListener {
    private final IAgent agent = RT.getAgent();
    private final File measured;
    private final PrintWriter out;
    private long started;

    private TestCoverage(File measured, PrintWriter out) {
        this.measured = measured;
        this.out = out;
    }

    public static void main(String[] arguments) throws IOException {
        try (PrintWriter out = new PrintWriter(arguments[2], "UTF-8")) {
            Launcher launcher = LauncherFactory.create();
            launcher.execute(
                LauncherDiscoveryRequestBuilder.request()
                    .selectors(DiscoverySelectors.selectClasspathRoots(java.util.Set.of(new File(arguments[0]).toPath())))
                    .build(),
                new TestCoverage(new File(arguments[1]), out));
        }
        System.exit(0);
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        if (test.isTest()) {
            agent.reset();
            started = System.nanoTime();
        }
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        String name = test.isTest() ? nameOf(test) : null;
        if (name == null) {
            return;
        }
        double seconds = (System.nanoTime() - started) / 1e9;
        out.println(String.format(Locale.ROOT, "test\t%s\t%.6f", name, seconds));
        try {
            writeLines();
        } catch (IOException error) {
            throw new java.io.UncheckedIOException(error);
        }
    }

    private static String nameOf(TestIdentifier test) {
        // the class that runs, which may inherit the method of another one
        for (String part : test.getUniqueId().split("/")) {
            if (part.startsWith("[class:")) {
                String owner = part.substring("[class:".length(), part.length() - 1);
                return test.getSource()
                    .filter(MethodSource.class::isInstance)
                    .map(source -> owner + "\t" + ((MethodSource) source).getMethodName())
                    .orElse(owner + "\t");
            }
        }
        return null;
    }

    private void writeLines() throws IOException {
        ExecutionDataStore store = new ExecutionDataStore();
        ExecutionDataReader reader = new ExecutionDataReader(new ByteArrayInputStream(agent.getExecutionData(false)));
        reader.setExecutionDataVisitor(store);
        reader.setSessionInfoVisitor(new SessionInfoStore());
        reader.read();
        CoverageBuilder found = new CoverageBuilder();
        Analyzer analyzer = new Analyzer(store, found);
        for (ExecutionData data : store.getContents()) {
            File place = new File(measured, data.getName() + ".class");
            if (data.hasHits() && place.exists()) {
                analyzer.analyzeAll(place);
            }
        }
        for (ISourceFileCoverage file : found.getSourceFiles()) {
            StringBuilder lines = new StringBuilder();
            for (int line = file.getFirstLine(); line <= file.getLastLine(); line++) {
                int status = file.getLine(line).getStatus();
                if (status == ICounter.FULLY_COVERED || status == ICounter.PARTLY_COVERED) {
                    lines.append(lines.length() == 0 ? "" : ",").append(line);
                }
            }
            if (lines.length() > 0) {
                out.println("lines\t" + file.getPackageName() + "/" + file.getName() + "\t" + lines);
            }
        }
    }
}
