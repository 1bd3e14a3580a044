/* Runs Criterion's tests without its runner, for the thread sanitizer.
 *
 * Criterion hands its tests memory at a fixed address, most of which lies where the
 * thread sanitizer keeps its own, so that its programs fail before the first test. Here
 * each test runs in a forked child. What the tests and the macros they are made of call
 * of the library is defined below, and taken before the library's own. */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXIT_SKIPPED 77

/* Made by the linker from the sections that Test and TestSuite write to. */
extern struct criterion_test *tests_begin[] __asm__("__start_cr_tst");
extern struct criterion_test *tests_end[] __asm__("__stop_cr_tst");
extern struct criterion_suite *suites_begin[] __asm__("__start_cr_sts") __attribute__((weak));
extern struct criterion_suite *suites_end[] __asm__("__stop_cr_sts") __attribute__((weak));

/* In the child: what it runs, and whether it went on after a failed expectation. */
static struct criterion_test *current;
static bool failed;

static struct criterion_test_extra_data *suite_data(void)
{
    for (struct criterion_suite **suite = suites_begin; suite < suites_end; suite++) {
        if (strcmp((*suite)->name, current->category) == 0) {
            return (*suite)->data;
        }
    }
    return NULL;
}

static void run_if_set(void (*fixture)(void))
{
    if (fixture != NULL) {
        fixture();
    }
}

void criterion_internal_test_setup(void)
{
    if (suite_data() != NULL) {
        run_if_set(suite_data()->init);
    }
    run_if_set(current->data->init);
}

void criterion_internal_test_main(void (*test)(void))
{
    test();
}

void criterion_internal_test_teardown(void)
{
    run_if_set(current->data->fini);
    if (suite_data() != NULL) {
        run_if_set(suite_data()->fini);
    }
}

void criterion_send_assert(struct criterion_assert_stats *assertion)
{
    if (!assertion->passed) {
        fprintf(stderr, "%s:%u: %s\n", assertion->file, assertion->line, assertion->message);
        failed = true;
    }
}

void cri_asserts_passed_incr(void)
{
}

void criterion_continue_test(void)
{
}

void criterion_abort_test(void)
{
    exit(EXIT_FAILURE);
}

void criterion_skip_test(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(EXIT_SKIPPED);
}

/* The child's exit status; the sanitizer's own, which is another, where it found a race. */
static int run_test(struct criterion_test *test)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0) {
        perror("fork");
        return EXIT_FAILURE;
    }
    if (pid == 0) {
        current = test;
        test->test();
        exit(failed ? EXIT_FAILURE : EXIT_SUCCESS);
    }
    int status;
    if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) {
        return EXIT_FAILURE;
    }
    return WEXITSTATUS(status);
}

int main(void)
{
    size_t run = 0;
    size_t failures = 0;
    size_t skipped = 0;
    for (struct criterion_test **test = tests_begin; test < tests_end; test++) {
        int status = run_test(*test);
        const char *word = status == EXIT_SUCCESS   ? "pass"
                           : status == EXIT_SKIPPED ? "skip"
                                                    : "FAIL";
        printf("[%s] %s::%s\n", word, (*test)->category, (*test)->name);
        run++;
        skipped += status == EXIT_SKIPPED ? 1 : 0;
        failures += status != EXIT_SUCCESS && status != EXIT_SKIPPED ? 1 : 0;
    }
    printf("%zu run, %zu failed, %zu skipped\n", run, failures, skipped);
    if (run == 0 || failures != 0) {
        return EXIT_FAILURE;
    }
    return skipped != 0 ? EXIT_SKIPPED : EXIT_SUCCESS;
}
