/* Criterion counts a skipped test as passed. Here a program with one says so in its
 * exit status: 77 is "skipped" to ctest. */
#include <criterion/criterion.h>
#include <criterion/hooks.h>
#include <stdio.h>

#define EXIT_SKIPPED 77

static size_t skipped_count;
static size_t run_count;

ReportHook(POST_ALL)(struct criterion_global_stats *stats)
{
    skipped_count = stats->tests_skipped;
    run_count = stats->nb_tests - stats->tests_skipped;
}

/* Exported, as in Criterion itself: it looks the symbol up to run a test in a process of
 * its own, and would find the main of its library instead. */
__attribute__((visibility("default"))) int main(int argc, char **argv)
{
    struct criterion_test_set *tests = criterion_initialize();
    int status = EXIT_SUCCESS;
    if (criterion_handle_args(argc, argv, true)) {
        status = criterion_run_all_tests(tests) ? EXIT_SUCCESS : EXIT_FAILURE;
        if (status == EXIT_SUCCESS && skipped_count != 0) {
            status = EXIT_SKIPPED;
        }
        if (run_count + skipped_count == 0) {
            fprintf(stderr, "no test was run\n");
            status = EXIT_FAILURE;
        }
    }
    criterion_finalize(tests);
    return status;
}
