import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;

/**
 * Many threads that start threads, and safepoints requested all the time.
 *
 * <pre>java -Xlog:safepoint ThreadStartStorm.java CREATORS SECONDS</pre>
 *
 * Each creator starts a thread that does nothing, waits for its end, and starts the next. One more
 * thread asks for a safepoint every few milliseconds, with an operation that is cheap once it is
 * reached (a search for deadlocks). The log tells how long the JVM took to reach each ("Reaching
 * safepoint"). Prints one line, for scripts:
 *
 * <pre>begin_s 0.421 creators 1000 starts 51234 starts_per_s 10222 longest_start_ms 93.1</pre>
 *
 * begin_s is when the storm began, in seconds since the start of the JVM, as in its log.
 */
public final class ThreadStartStorm {
    private static final long SAFEPOINT_PAUSE_MS = 10;

    private static volatile boolean over;

    public static void main(String[] args) throws InterruptedException {
        if (args.length != 2) {
            System.err.println("usage: ThreadStartStorm CREATORS SECONDS");
            System.exit(2);
        }
        int creators = Integer.parseInt(args[0]);
        double seconds = Double.parseDouble(args[1]);

        LongAdder starts = new LongAdder();
        long[] longestNs = new long[creators];
        CountDownLatch begin = new CountDownLatch(1);
        Thread[] threads = new Thread[creators];
        for (int i = 0; i < creators; i++) {
            int self = i;
            threads[i] = new Thread(() -> longestNs[self] = create(begin, starts), "creator-" + i);
            threads[i].start();
        }
        Thread safepoints = new Thread(ThreadStartStorm::requestSafepoints, "safepoints");
        safepoints.setDaemon(true);

        double beginS = ManagementFactory.getRuntimeMXBean().getUptime() / 1e3;
        long since = System.nanoTime();
        begin.countDown();
        safepoints.start();
        Thread.sleep((long) (seconds * 1000));
        over = true;
        long count = starts.sum();
        double elapsed = (System.nanoTime() - since) / 1e9;
        long longest = 0;
        for (int i = 0; i < creators; i++) {
            threads[i].join();
            longest = Math.max(longest, longestNs[i]);
        }
        System.out.printf(Locale.ROOT, "begin_s %.3f creators %d starts %d starts_per_s %.0f"
                + " longest_start_ms %.1f%n", beginS, creators, count, count / elapsed,
                longest / 1e6);
    }

    /** Starts threads until it is over; returns the time of the longest Thread.start() in ns. */
    private static long create(CountDownLatch begin, LongAdder starts) {
        long longest = 0;
        try {
            begin.await();
            while (!over) {
                Thread thread = new Thread(() -> { });
                long before = System.nanoTime();
                thread.start();
                longest = Math.max(longest, System.nanoTime() - before);
                thread.join();
                starts.increment();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return longest;
    }

    private static void requestSafepoints() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        try {
            while (!over) {
                threads.findMonitorDeadlockedThreads();
                Thread.sleep(SAFEPOINT_PAUSE_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
