/* What MADV_POPULATE_WRITE may answer and no test can bring about: a handler of SIGSYS
 * plays the kernel. */
#include "shim/pretouch.h"
#include "tests/unit/fixture_root.h"
#include "tests/unit/seccomp_madvise.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <ucontext.h>

#if defined(__x86_64__)
#define RESULT(context)     ((context)->uc_mcontext.gregs[REG_RAX])
#define ARGUMENT_0(context) ((context)->uc_mcontext.gregs[REG_RDI])
#define ARGUMENT_1(context) ((context)->uc_mcontext.gregs[REG_RSI])
#elif defined(__aarch64__)
#define RESULT(context)     ((context)->uc_mcontext.regs[0])
#define ARGUMENT_0(context) ((context)->uc_mcontext.regs[0])
#define ARGUMENT_1(context) ((context)->uc_mcontext.regs[1])
#endif

#ifdef RESULT

/* The answer to each call; 0 populates. Filled with what stands in the last one. */
static int answers[8];
static volatile unsigned calls;
static size_t page;

static void play_kernel(int signal, siginfo_t *info, void *interrupted)
{
    ucontext_t *context = interrupted;
    (void)signal;
    (void)info;
    unsigned call = calls++;
    int answer = answers[call < 7 ? call : 7];
    if (answer == 0) {
        volatile unsigned char *start = (volatile unsigned char *)(uintptr_t)ARGUMENT_0(context);
        for (size_t at = 0; at < (size_t)ARGUMENT_1(context); at += page) {
            start[at] = start[at];
        }
    }
    RESULT(context) = answer;
}

static unsigned char *begin(const int *script)
{
    struct sigaction action = {.sa_sigaction = play_kernel, .sa_flags = SA_SIGINFO};
    memcpy(answers, script, sizeof(answers));
    CHILD_REQUIRE(sigaction(SIGSYS, &action, NULL) == 0);
    CHILD_REQUIRE(answer_populate(SECCOMP_RET_TRAP));
    unsigned char *memory = mmap(NULL, 16 << 20, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHILD_REQUIRE(memory != MAP_FAILED);
    CHILD_REQUIRE(madvise(memory, 16 << 20, MADV_NOHUGEPAGE) == 0);
    return (unsigned char *)(((uintptr_t)memory + (2 << 20) - 1) & ~(uintptr_t)((2 << 20) - 1));
}

static void check_interrupted(void *unused)
{
    (void)unused;
    /* The look whether it works is the first call, and is interrupted as well. */
    static const int script[8] = {-EINTR, 0, -EINTR, -EINTR, -EINTR, 0, -EINTR, 0};
    unsigned char *memory = begin(script);
    struct pretouch_result result = pretouch((uintptr_t)memory, 4 << 20, page, PRETOUCH_STAYS);
    CHILD_REQUIRE(result.done_bytes == 4 << 20 && result.error == 0);
    CHILD_REQUIRE(calls == 8);
}

/* In the second chunk of three: what was done before it counts, and nothing comes after. */
static void check_stops(void *context)
{
    int error = *(int *)context;
    const int script[8] = {0, 0, error, 0, 0, 0, 0, 0};
    unsigned char *memory = begin(script);
    memory[2 << 20] = 1; /* part of that chunk is there */
    struct pretouch_result result = pretouch((uintptr_t)memory, 6 << 20, page, PRETOUCH_STAYS);
    CHILD_REQUIRE(result.done_bytes == (2 << 20) + page && result.error == error);
    CHILD_REQUIRE(calls == 3);
}

static void check_refused(void *context)
{
    int error = *(int *)context;
    const int script[8] = {0, 0, error, 0, error, error, error, error};
    unsigned char *memory = begin(script);
    struct pretouch_result result = pretouch((uintptr_t)memory, 8 << 20, page, PRETOUCH_STAYS);
    CHILD_REQUIRE(result.done_bytes == 8 << 20 && result.error == 0);
    for (size_t at = 0; at < 8 << 20; at += page) {
        unsigned char resident = 0;
        CHILD_REQUIRE(mincore(memory + at, page, &resident) == 0 && (resident & 1) != 0);
    }
}

/* Below 5.14 the advice is not even tried, whatever it would answer. */
static bool kernel_may_have_it(void)
{
    struct utsname name;
    unsigned major = 0, minor = 0;
    cr_assert(uname(&name) == 0 && sscanf(name.release, "%u.%u", &major, &minor) == 2);
    return major > 5 || (major == 5 && minor >= 14);
}

static void run(void (*check)(void *), int *error)
{
    page = (size_t)sysconf(_SC_PAGESIZE);
    if (!kernel_may_have_it()) {
        cr_skip_test("a kernel before 5.14 is never asked");
    }
    fixture_in_child(check, error);
}

Test(pretouch_errors, goes_on_after_an_interruption)
{
    run(check_interrupted, NULL);
}

Test(pretouch_errors, stops_where_memory_is_not_to_be_had)
{
    static int errors[] = {-ENOMEM, -EHWPOISON, -EFAULT, -EAGAIN};
    for (size_t i = 0; i < 4; i++) {
        run(check_stops, &errors[i]);
    }
}

Test(pretouch_errors, touches_where_the_advice_is_refused)
{
    static int errors[] = {-EINVAL, -EPERM, -ENOSYS};
    for (size_t i = 0; i < 3; i++) {
        run(check_refused, &errors[i]);
    }
}

#else

Test(pretouch_errors, goes_on_after_an_interruption)
{
    cr_skip_test("the registers of this machine are not known here");
}

#endif
