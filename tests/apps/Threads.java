import java.util.concurrent.CountDownLatch;

/** Threads that throw and catch exceptions, deep down. Prints answers, then "ready". */
final class Threads {
    private static final int THREADS = 200;

    private static long descend(int depth, long value) {
        if (depth == 0)
            throw new ArithmeticException(Long.toString(value));
        return descend(depth - 1, value * 31 + depth);
    }

    private static String work(int number) {
        try {
            return Long.toString(descend(500, number));
        } catch (ArithmeticException thrown) {
            return thrown.getMessage() + " " + thrown.getStackTrace().length;
        }
    }

    public static void main(String[] arguments) throws Exception {
        String[] answers = new String[THREADS];
        Thread[] threads = new Thread[THREADS];
        CountDownLatch worked = new CountDownLatch(THREADS);
        CountDownLatch over = new CountDownLatch(1);
        for (int i = 0; i < THREADS; i++) {
            int number = i;
            threads[i] = new Thread(() -> {
                answers[number] = work(number);
                worked.countDown();
                try {
                    over.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            threads[i].start();
        }
        worked.await();
        System.out.println(String.join("\n", answers));
        System.out.println("ready");
        while (System.in.read() >= 0)
            continue;
        over.countDown();
        for (Thread thread : threads)
            thread.join();
    }
}
