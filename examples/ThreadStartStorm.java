import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;

/**
 * Many threads that start threads, and safepoints requested all the time.
 *
 * <pre>java -Xlog:safepoint ThreadStartStorm.java CREATORS SECONDS [collect|search]</pre>
 *
 * Each creator starts a thread that does nothing, waits for its end, and starts the next. One more
 * thread asks for a safepoint every few milliseconds; the log tells how long the JVM took to reach
 * each ("Reaching safepoint"). What is done there is a full collection, or with "search" a search
 * for deadlocks, which is cheap: where a JVM reaches twenty times as many safepoints as another,
 * twenty times as many collections would hide which of them starts threads faster.
 *
 * Prints figures for scripts, each with its name: begin_s is when the storm began, in seconds since
 * the start of the JVM, as in its log; request_median_ms and request_worst_ms are how long the
 * thread that asked waited until the operation was done (the log of JDK 11 leaves out the wait for
 * the lock that the starting threads hold).
 */
public final class ThreadStartStorm {
    private static final long SAFEPOINT_PAUSE_MS = 10;

    private static volatile boolean over;

    public static void main(String[] args) throws InterruptedException {
        boolean search = args.length == 3 && args[2].equals("search");
        if (args.length != 2 && !search && !(args.length == 3 && args[2].equals("collect"))) {
            System.err.println("usage: ThreadStartStorm CREATORS SECONDS [collect|search]");
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
        ThreadMXBean beans = ManagementFactory.getThreadMXBean();
        Runnable operation = search ? beans::findMonitorDeadlockedThreads : System::gc;
        List<Long> requestsNs = new ArrayList<>();
        Thread safepoints =
                new Thread(() -> requestSafepoints(operation, requestsNs), "safepoints");

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
        safepoints.join();
        Collections.sort(requestsNs);
        System.out.printf(Locale.ROOT, "begin_s %.3f creators %d starts %d starts_per_s %.0f"
                + " longest_start_ms %.1f request_median_ms %.3f request_worst_ms %.3f%n",
                beginS, creators, count, count / elapsed, longest / 1e6,
                requestsNs.get(requestsNs.size() / 2) / 1e6,
                requestsNs.get(requestsNs.size() - 1) / 1e6);
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

    private static void requestSafepoints(Runnable operation, List<Long> requestsNs) {
        try {
            do {
                long before = System.nanoTime();
                operation.run();
                requestsNs.add(System.nanoTime() - before);
                Thread.sleep(SAFEPOINT_PAUSE_MS);
            } while (!over);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
