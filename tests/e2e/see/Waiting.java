/** Waiting COUNT: starts so many threads that wait for ever, then prints "ready". */
public class Waiting {
    public static void main(String[] arguments) throws Exception {
        Object never = new Object();
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            Thread thread = new Thread(() -> {
                synchronized (never) {
                    while (true) {
                        try {
                            never.wait();
                        } catch (InterruptedException e) {
                            return;
                        }
                    }
                }
            }, "waiting-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        System.out.println("ready");
        Thread.sleep(Long.MAX_VALUE);
    }
}
