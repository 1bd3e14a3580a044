/**
 * Working COUNT FILE: so many threads compute, recurse, wait and make garbage, each checking
 * its results, until the file exists; then prints "whole". "ready" when all have begun.
 */
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

public class Working {
    static volatile boolean ending;

    static long descend(long seed, int depth) {
        long a = seed * 31 + depth, b = seed ^ depth, c = a * b;
        long below = depth > 0 ? descend(seed + 1, depth - 1) : 1;
        if (a != seed * 31 + depth || b != (seed ^ depth) || c != a * b)
            throw new IllegalStateException("a frame has changed");
        return below * 7 + a + b + c;
    }

    static void work(int number, CountDownLatch begun) throws InterruptedException {
        long expected = descend(number, 100 + number % 200);
        StringBuilder text = new StringBuilder();
        begun.countDown();
        begun.await(); // or those that work keep the last from beginning
        while (!ending) {
            if (descend(number, 100 + number % 200) != expected)
                throw new IllegalStateException("the sum has changed");
            text.setLength(0);
            for (int i = 0; i < 50; i++)
                text.append(i * number);
            if (text.toString().hashCode() != text.toString().hashCode())
                throw new IllegalStateException("a string has changed");
            LockSupport.parkNanos(1_000_000L * (number % 20));
        }
    }

    public static void main(String[] arguments) throws Exception {
        int count = Integer.parseInt(arguments[0]);
        CountDownLatch begun = new CountDownLatch(count);
        Thread[] threads = new Thread[count];
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> {
            e.printStackTrace();
            Runtime.getRuntime().halt(1);
        });
        for (int i = 0; i < count; i++) {
            int number = i;
            threads[i] = new Thread(() -> {
                try {
                    work(number, begun);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            threads[i].start();
        }
        begun.await();
        System.out.println("ready");
        while (!Files.exists(Path.of(arguments[1])))
            Thread.sleep(50);
        ending = true;
        for (Thread thread : threads)
            thread.join();
        System.out.println("whole");
    }
}
