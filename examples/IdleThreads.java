import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/**
 * Starts threads that then wait, and prints what they cost.
 *
 * <pre>java -Xss2m IdleThreads THREADS</pre>
 *
 * Prints key=value lines: threads, spawn_ns (from the first start until all run), rss_kib and
 * anon_huge_kib of the whole process.
 */
public final class IdleThreads {
    private static final Path SMAPS_ROLLUP = Path.of("/proc/self/smaps_rollup");
    private static final Path STATUS = Path.of("/proc/self/status");

    public static void main(String[] args) throws InterruptedException, IOException {
        if (args.length != 1) {
            System.err.println("usage: IdleThreads THREADS");
            System.exit(2);
        }
        int count = Integer.parseInt(args[0]);
        CountDownLatch running = new CountDownLatch(count);
        CountDownLatch over = new CountDownLatch(1);

        long since = System.nanoTime();
        for (int i = 0; i < count; i++) {
            Thread thread = new Thread(() -> waitFor(running, over), "idle-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        running.await();
        long spawnNs = System.nanoTime() - since;

        System.out.println("threads=" + count);
        System.out.println("spawn_ns=" + spawnNs);
        System.out.println("rss_kib=" + kib(STATUS, "VmRSS:"));
        System.out.println("anon_huge_kib=" + kib(SMAPS_ROLLUP, "AnonHugePages:"));
        over.countDown();
    }

    private static void waitFor(CountDownLatch running, CountDownLatch over) {
        running.countDown();
        try {
            over.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** "VmRSS:   1234 kB": the number; -1 where the kernel does not say. */
    private static long kib(Path file, String key) throws IOException {
        if (!Files.exists(file)) {
            return -1;
        }
        for (String line : Files.readAllLines(file)) {
            if (line.startsWith(key)) {
                return Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        return -1;
    }
}
