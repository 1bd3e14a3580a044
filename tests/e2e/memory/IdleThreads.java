import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** Many idle platform threads, and what the kernel says of them. Prints key=value lines. */
public final class IdleThreads {
    private static long kib(String field) throws Exception {
        for (String line : Files.readAllLines(Path.of("/proc/self/smaps_rollup"))) {
            if (line.startsWith(field + ":")) {
                return Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        throw new IllegalStateException("no " + field + " in smaps_rollup");
    }

    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[0]);
        CountDownLatch running = new CountDownLatch(count);
        CountDownLatch never = new CountDownLatch(1);

        kib("Rss"); // loads the classes before the clock runs
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            Thread thread = new Thread(() -> {
                running.countDown();
                try {
                    never.await();
                } catch (InterruptedException e) {
                    return;
                }
            });
            thread.setDaemon(true);
            thread.start();
        }
        running.await();
        long spawn = System.nanoTime() - start;

        System.out.println("threads=" + count);
        System.out.println("spawn_ns=" + spawn);
        System.out.println("rss_kib=" + kib("Rss"));
        System.out.println("anon_huge_kib=" + kib("AnonHugePages"));
    }
}
