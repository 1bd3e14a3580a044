import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** ThreadChurn CREATORS THREADS: starts and ends so many threads, and says so. */
public final class ThreadChurn {
    public static void main(String[] args) throws InterruptedException {
        int creators = Integer.parseInt(args[0]);
        int threads = Integer.parseInt(args[1]);
        AtomicInteger left = new AtomicInteger(threads);
        AtomicInteger ended = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(creators);
        System.out.println("running");
        for (int i = 0; i < creators; i++) {
            new Thread(() -> {
                try {
                    while (left.getAndDecrement() > 0) {
                        Thread thread = new Thread(ended::incrementAndGet);
                        thread.start();
                        thread.join();
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                } finally {
                    done.countDown();
                }
            }).start();
        }
        done.await();
        System.out.println("ended " + ended.get());
    }
}
