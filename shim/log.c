#include "shim/log.h"

#include "shim/config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static char log_path[CONFIG_LOG_PATH_MAX]; /* written by log_set_target, once */
static bool log_to_stderr;
static dev_t stderr_device; /* what descriptor 2 was */
static ino_t stderr_inode;

/* syscall(2): stat(2) is another symbol before glibc 2.33. */
static bool identify_stderr(dev_t *ret_device, ino_t *ret_inode)
{
    struct stat64 status;
#ifdef SYS_fstat64
    long number = SYS_fstat64;
#else
    long number = SYS_fstat;
#endif
    if (syscall(number, STDERR_FILENO, &status) != 0) {
        return false;
    }
    *ret_device = status.st_dev;
    *ret_inode = status.st_ino;
    return true;
}

static bool stderr_is_as_it_was(void)
{
    dev_t device;
    ino_t inode;
    return identify_stderr(&device, &inode) && device == stderr_device && inode == stderr_inode;
}

/* The kernel's set of signals, as far as SIGPIPE is concerned. */
struct signal_set {
    uint64_t bits;
};

/* Writes, and takes back the SIGPIPE that a pipe without a reader raises: a program must not
 * end because of our line. syscall(2) rather than write(2): no cancellation point. */
static void write_quietly(int fd, const char *text, size_t length)
{
    const struct signal_set pipe = {UINT64_C(1) << (SIGPIPE - 1)};
    const struct timespec at_once = {0, 0};
    struct signal_set before, pending = {0};
    bool blocked = syscall(SYS_rt_sigprocmask, SIG_BLOCK, &pipe, &before, sizeof(pipe)) == 0;
    (void)syscall(SYS_rt_sigpending, &pending, sizeof(pending));
    /* A lost line is not worth a second try: the reader may be gone for good. */
    if (syscall(SYS_write, fd, text, length) == -1 && errno == EPIPE && blocked &&
        (pending.bits & pipe.bits) == 0) {
        (void)syscall(SYS_rt_sigtimedwait, &pipe, NULL, &at_once, sizeof(pipe));
    }
    if (blocked) {
        (void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof(before));
    }
}

static void write_line(int fd, struct log_line *line)
{
    size_t length = line->length;
    if (length >= sizeof(line->text)) {
        length = sizeof(line->text) - 1;
    }
    line->text[length++] = '\n';
    write_quietly(fd, line->text, length);
}

void log_begin(struct log_line *line)
{
    line->length = 0;
    log_text(line, "thpfix[");
    log_number(line, (uint64_t)getpid());
    log_text(line, "]: ");
}

static void append(struct log_line *line, const char *text, size_t length)
{
    /* One byte stays free for the newline. */
    size_t room = sizeof(line->text) - 1 - line->length;
    if (length > room) {
        length = room;
    }
    for (size_t i = 0; i < length; i++) {
        bool is_control = (unsigned char)text[i] < ' ' || text[i] == 0x7f;
        line->text[line->length++] = text[i];
        if (is_control) {
            line->text[line->length - 1] = '?';
        }
    }
}

void log_text(struct log_line *line, const char *text)
{
    append(line, text, strlen(text));
}

void log_text_cut(struct log_line *line, const char *text)
{
    size_t length = strlen(text), most = 80;
    append(line, text, length > most ? most : length);
    if (length > most) {
        log_text(line, "...");
    }
}

void log_number(struct log_line *line, uint64_t number)
{
    char digits[21];
    size_t at = sizeof(digits);
    digits[--at] = '\0';
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    log_text(line, digits + at);
}

void log_complain(struct log_line *line)
{
    int saved = errno;
    write_line(STDERR_FILENO, line);
    errno = saved;
}

void log_set_target(const char *target)
{
    int saved = errno;
    if (strcmp(target, "stderr") == 0) {
        log_to_stderr = identify_stderr(&stderr_device, &stderr_inode);
    } else if (strlen(target) < sizeof(log_path)) {
        memcpy(log_path, target, strlen(target) + 1);
    }
    errno = saved;
}

bool log_is_on(void)
{
    return log_to_stderr || log_path[0] != '\0';
}

void log_write(struct log_line *line)
{
    int saved = errno;
    if (log_to_stderr && stderr_is_as_it_was()) {
        write_line(STDERR_FILENO, line);
    } else if (log_path[0] != '\0') {
        long fd = syscall(SYS_openat, AT_FDCWD, log_path,
                          O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0644);
        if (fd >= 0) {
            write_line((int)fd, line);
            (void)syscall(SYS_close, (int)fd);
        }
    }
    errno = saved;
}
