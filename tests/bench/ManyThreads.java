import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/**
 * Many idle platform threads: how long they take to start, and how much memory they take, at once
 * and after a while.
 *
 * <pre>java ManyThreads THREADS SETTLE-SECONDS [COMMAND...]</pre>
 *
 * Runs the command at the end, with the process id of this JVM as its last argument, and hands on
 * what it prints. Prints key=value lines.
 */
public final class ManyThreads {
    private static long rssKib() throws Exception {
        for (String line : Files.readAllLines(Path.of("/proc/self/smaps_rollup"))) {
            if (line.startsWith("Rss:")) {
                return Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        throw new IllegalStateException("no Rss in smaps_rollup");
    }

    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[0]);
        CountDownLatch running = new CountDownLatch(count);
        CountDownLatch never = new CountDownLatch(1);

        long before = rssKib(); // loads the classes before the clock runs, too
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
        Thread.sleep(Integer.parseInt(args[1]) * 1000L);

        System.out.println("spawn_ns=" + spawn);
        System.out.println("rss_kib=" + rssKib());
        System.out.println("rss_growth_kib=" + (rssKib() - before));
        if (args.length > 2) {
            String[] command = java.util.Arrays.copyOfRange(args, 2, args.length + 1);
            command[command.length - 1] = Long.toString(ProcessHandle.current().pid());
            System.out.flush();
            System.exit(new ProcessBuilder(command).inheritIO().start().waitFor());
        }
    }
}
