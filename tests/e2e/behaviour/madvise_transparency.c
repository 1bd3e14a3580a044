/* madvise answers as the kernel does, result, errno and effect on what the memory holds,
 * for every piece of advice and for ranges that make no sense. */
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/memory.h"
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MIB          ((size_t)1024 * 1024)
#define MAPPED       MIB
#define PATTERN      0x3c
#define ERRNO_BEFORE 12345
/* MADV_COLLAPSE is a matter of luck, and from 100 on memory is taken for broken. */
#define LAST_ADVICE 24

typedef int advise_function(void *start, size_t length, int advice);

static int advise_by_system_call(void *start, size_t length, int advice)
{
    return (int)syscall(SYS_madvise, start, length, advice);
}

struct answer {
    int result, error;
    unsigned sum; /* of a byte of each page, where the memory is still there */
};

struct range {
    size_t offset, length;
};

static struct answer ask(advise_function *advise, struct range range, int advice)
{
    struct answer answer;
    unsigned char *memory =
        mmap(NULL, MAPPED + MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    CHECK_OK(munmap(memory + MAPPED, MIB)); /* a hole, in which nothing of ours is */
    memset(memory, PATTERN, MAPPED);
    errno = ERRNO_BEFORE;
    answer.result = advise(memory + range.offset, range.length, advice);
    answer.error = errno;
    answer.sum = 0;
    for (size_t i = 0; i < MAPPED; i += memory_page_bytes()) {
        answer.sum += memory[i];
    }
    CHECK_OK(munmap(memory, MAPPED));
    return answer;
}

static void *nothing(void *argument)
{
    return argument;
}

int main(void)
{
    /* The last two reach into the hole, and round the end of the address space. */
    static const struct range ranges[] = {
        {0, MAPPED}, {0, 0},        {0, 4096}, {4096, MIB / 2},       {1, 4096},
        {0, 1},      {0, SIZE_MAX}, {0, 3},    {MAPPED - 4096, 8192}, {4096, SIZE_MAX - 4095},
    };
    int refused = 0;
    for (int advice = -1; advice <= LAST_ADVICE; advice++) {
        for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
            struct answer with = ask(madvise, ranges[i], advice);
            struct answer without = ask(advise_by_system_call, ranges[i], advice);
            CHECK_EQUAL(with.result, without.result);
            CHECK_EQUAL(with.error, without.error);
            /* MADV_FREE takes the memory when it likes. */
            CHECK(advice == MADV_FREE || with.sum == without.sum);
            CHECK_EQUAL(with.error == ERRNO_BEFORE, with.result == 0);
            refused += with.result != 0;
        }
    }
    CHECK(refused > 0);
    run_thread(NULL, nothing, NULL);
    return finish();
}
