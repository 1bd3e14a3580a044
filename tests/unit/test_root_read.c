#include "detect/root_read.h"
#include "tests/unit/fixture_root.h"
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define CALLERS_ERRNO 4711

static char directory[FIXTURE_PATH_BYTES];
static int root;

static void make_root(void)
{
    root = fixture_root_make(directory);
    fixture_root_write(root, "sys/one", "one\n");
    fixture_root_write(root, "sys/empty", "");
    fixture_root_write(root, "sys/ten", "123456789\n");
    fixture_root_write(root, "sys/directory/file", "");
    errno = CALLERS_ERRNO;
}

static void remove_root(void)
{
    cr_assert_eq(errno, CALLERS_ERRNO, "errno was changed");
    close(root);
    fixture_root_remove(directory);
}

TestSuite(root_read, .init = make_root, .fini = remove_root);

Test(root_read, reads_below_the_root_and_on_the_host)
{
    char text[16];
    cr_assert_eq(root_read(root, "/sys/one", text, sizeof(text)), 4);
    cr_assert(memcmp(text, "one\n", 4) == 0);
    cr_assert_eq(root_read(root, "//sys/one", text, sizeof(text)), 4);
    cr_assert_eq(root_read(root, "/sys/empty", text, sizeof(text)), 0);
    cr_assert_gt(root_read(ROOT_HOST, "/proc/sys/vm/max_map_count", text, sizeof(text)), 0);
}

Test(root_read, never_leaves_the_root_by_an_absolute_path)
{
    char text[16];
    cr_assert_eq(root_read(root, "/proc/sys/vm/max_map_count", text, sizeof(text)), -ENOENT);
    cr_assert_eq(root_read(root, "//proc/sys/vm/max_map_count", text, sizeof(text)), -ENOENT);
}

Test(root_read, a_file_must_be_smaller_than_the_buffer)
{
    char text[16];
    memset(text, 'x', sizeof(text));
    cr_assert_eq(root_read(root, "/sys/ten", text, 11), 10);
    cr_assert_eq(root_read(root, "/sys/ten", text, 10), -EFBIG);
    cr_assert_eq(root_read(root, "/sys/ten", text, 3), -EFBIG);
    cr_assert_eq(text[11], 'x', "nothing is written beyond the buffer");
}

Test(root_read, errors_come_back)
{
    char text[16];
    cr_assert_eq(root_read(root, "/sys/none", text, sizeof(text)), -ENOENT);
    cr_assert_eq(root_read(root, "/sys/one/below", text, sizeof(text)), -ENOTDIR);
    cr_assert_eq(root_read(root, "/sys/directory", text, sizeof(text)), -EISDIR);
    cr_assert_eq(root_read(root, "sys/one", text, sizeof(text)), -EINVAL);
    cr_assert_eq(root_read(root, "", text, sizeof(text)), -EINVAL);
    cr_assert_eq(root_read(9999, "/sys/one", text, sizeof(text)), -EBADF);
    cr_assert_eq(root_read_some(9999, text, sizeof(text)), -EBADF);
    root_close(9999);
}

static void read_as_nobody(void *context)
{
    (void)context;
    char text[16];
    CHILD_REQUIRE(geteuid() != 0 || setuid(65534) == 0);
    errno = CALLERS_ERRNO;
    CHILD_REQUIRE(root_read(root, "/sys/one", text, sizeof(text)) == -EACCES);
    CHILD_REQUIRE(root_read(root, "/sys/ten", text, sizeof(text)) == 10); /* the control */
    CHILD_REQUIRE(errno == CALLERS_ERRNO);
}

Test(root_read, without_permission)
{
    cr_assert(fchmod(root, 0755) == 0);
    cr_assert(fchmodat(root, "sys/one", 0, 0) == 0);
    fixture_in_child(read_as_nobody, NULL);
}

Test(root_read, statuses)
{
    cr_assert_eq(root_read_status(0), READ_OK);
    cr_assert_eq(root_read_status(17), READ_OK);
    cr_assert_eq(root_read_status(-ENOENT), READ_ABSENT);
    cr_assert_eq(root_read_status(-EACCES), READ_DENIED);
    cr_assert_eq(root_read_status(-EPERM), READ_DENIED);
    cr_assert_eq(root_read_status(-EFBIG), READ_NOT_UNDERSTOOD);
    cr_assert_eq(root_read_status(-EISDIR), READ_FAILED);
    cr_assert_eq(root_read_status(-ENOTDIR), READ_FAILED);
    cr_assert_eq(root_read_status(-EMFILE), READ_FAILED);
    cr_assert_eq(root_read_status(-EIO), READ_FAILED);
}

/* The descriptor that open(2) would give next. */
static int next_descriptor(void)
{
    int fd = dup(root);
    close(fd);
    return fd;
}

Test(root_read, no_descriptor_is_left_behind_or_inherited)
{
    char text[16];
    int before = next_descriptor();
    (void)root_read(root, "/sys/one", text, sizeof(text));
    (void)root_read(root, "/sys/ten", text, 3);
    (void)root_read(root, "/sys/directory", text, sizeof(text));
    (void)root_read(root, "/sys/none", text, sizeof(text));
    cr_assert_eq(next_descriptor(), before);

    int fd = root_open(root, "/sys/one");
    cr_assert_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
    root_close(fd);
    cr_assert_eq(next_descriptor(), before);
}

static atomic_int signals;

static void on_signal(int number)
{
    (void)number;
    atomic_fetch_add(&signals, 1);
}

/* A child interrupts the reader some times before it writes what the reader waits for. */
Test(root_read, a_signal_does_not_end_a_read)
{
    int ends[2];
    cr_assert(pipe(ends) == 0);
    struct sigaction action = {.sa_handler = on_signal}; /* without SA_RESTART */
    cr_assert(sigaction(SIGUSR1, &action, NULL) == 0);
    pid_t pid = fork();
    cr_assert(pid >= 0);
    if (pid == 0) {
        for (int i = 0; i < 5; i++) {
            usleep(10000);
            kill(getppid(), SIGUSR1);
        }
        _exit(write(ends[1], "!", 1) == 1 ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    char byte = 0;
    ssize_t length = root_read_some(ends[0], &byte, 1);
    cr_assert(waitpid(pid, NULL, 0) == pid);
    cr_assert_eq(length, 1, "%zd", length);
    cr_assert_eq(byte, '!');
    cr_assert_gt(atomic_load(&signals), 0);
    errno = CALLERS_ERRNO;
}

static atomic_int steps;

static void *read_while_cancelled(void *use_root_read)
{
    char text[16];
    pthread_cancel(pthread_self());
    if (use_root_read != NULL) {
        (void)root_read(root, "/sys/one", text, sizeof(text));
    } else {
        int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
        close(fd);
    }
    atomic_fetch_add(&steps, 1);
    pthread_testcancel();
    atomic_fetch_add(&steps, 100);
    return NULL;
}

static int steps_of(void *use_root_read)
{
    pthread_t thread;
    void *result;
    atomic_store(&steps, 0);
    cr_assert(pthread_create(&thread, NULL, read_while_cancelled, use_root_read) == 0);
    cr_assert(pthread_join(thread, &result) == 0);
    cr_assert_eq(result, PTHREAD_CANCELED);
    return atomic_load(&steps);
}

Test(root_read, is_no_cancellation_point)
{
    cr_assert_eq(steps_of(&root), 1, "the thread gets beyond root_read, not beyond testcancel");
    cr_assert_eq(steps_of(NULL), 0, "the control: open(2) ends it");
}
