import java.nio.file.Files;
import java.nio.file.Path;

/** Prints how much of the JVM is resident when main begins, and waits until it is WANTED KiB. */
public class HeapAtMain {
    private static long residentKib() throws Exception {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        throw new IllegalStateException("no VmRSS");
    }

    public static void main(String[] arguments) throws Exception {
        long atMain = System.currentTimeMillis();
        System.out.println("main_ms=" + atMain);
        System.out.println("resident_at_main_kib=" + residentKib());
        long wanted = Long.parseLong(arguments[0]);
        while (residentKib() < wanted) {
            if (System.currentTimeMillis() - atMain > 120_000) {
                throw new IllegalStateException("still only " + residentKib() + " KiB");
            }
            Thread.sleep(5);
        }
        System.out.println("resident_ms=" + System.currentTimeMillis());
    }
}
