#include "shim/pretouch_heap.h"

#include "detect/root_read.h"
#include "detect/units.h"
#include "shim/counters.h"
#include "shim/loader.h"
#include "shim/pretouch.h"
#include "shim/pretouch_config.h"
#include "shim/pretouch_job.h"
#include "shim/pretouch_run.h"
#include "shim/range_backing.h"
#include "shim/runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_FREE
#define MADV_FREE 8 /* Linux 4.5 */
#endif

#define AUTOMATIC_THREADS_MAX 16U
#define BYTES_PER_THREAD      ((size_t)16 * MIB) /* for less, none is worth making */

/* The object that the process's malloc is in; written while the library starts. */
static uintptr_t malloc_start, malloc_end;

static int find_malloc(struct dl_phdr_info *object, size_t size, void *address_of_malloc)
{
    (void)size;
    uintptr_t start = UINTPTR_MAX, end = 0;
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        uintptr_t part_start = object->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD) {
            start = part_start < start ? part_start : start;
            end = part_start + part->p_memsz > end ? part_start + part->p_memsz : end;
        }
    }
    uintptr_t address = *(uintptr_t *)address_of_malloc;
    if (address < start || address >= end) {
        return 0;
    }
    malloc_start = start;
    malloc_end = end;
    return 1;
}

/* May the caller be malloc? glibc's own goes another way; one that is linked into the
 * program cannot be told from the rest of it. */
static bool may_be_malloc(const void *caller)
{
    return (uintptr_t)caller >= malloc_start && (uintptr_t)caller < malloc_end;
}

bool pretouch_heap_start(void)
{
    if (pretouch_stack_depth() != 0 || pretouch_heap_mode() != CONFIG_PRETOUCH_OFF) {
        pretouch_prepare(runtime_page_bytes());
    }
    if (pretouch_heap_mode() == CONFIG_PRETOUCH_OFF) {
        return false;
    }
    pretouch_job_prepare();
    uintptr_t address = (uintptr_t)loader_symbol(RTLD_DEFAULT, "malloc");
    (void)dl_iterate_phdr(find_malloc, &address);
    return true;
}

static unsigned count_cpus(void)
{
    unsigned long mask[1024 / (8 * sizeof(unsigned long))];
    long length = syscall(SYS_sched_getaffinity, 0, sizeof(mask), mask);
    unsigned count = 0;
    for (long i = 0; i < length / (long)sizeof(mask[0]); i++) {
        count += (unsigned)__builtin_popcountl(mask[i]);
    }
    return count != 0 ? count : 1;
}

/* Who waits wants all the CPUs; who does not, has a use of his own for half of them. */
static unsigned thread_count(enum config_pretouch_heap mode, size_t bytes)
{
    unsigned count = runtime_config()->pretouch_threads;
    if (count == 0) {
        count = count_cpus();
        count = mode == CONFIG_PRETOUCH_BACKGROUND ? (count + 1) / 2 : count;
        count = count < AUTOMATIC_THREADS_MAX ? count : AUTOMATIC_THREADS_MAX;
    }
    size_t useful = bytes / BYTES_PER_THREAD + 1;
    return useful < count ? (unsigned)useful : count;
}

static void take_up(const struct pretouch_range *range, const void *caller)
{
    enum config_pretouch_heap mode = pretouch_heap_mode();
    bool in_background = mode == CONFIG_PRETOUCH_BACKGROUND;
    bool alone = may_be_malloc(caller);
    bool taken = false;
    if (!(in_background && alone) && range_is_memory(ROOT_HOST, range->start, range->bytes)) {
        unsigned threads = alone ? 1 : thread_count(mode, range->bytes);
        taken = in_background ? pretouch_job_background(range->start, range->bytes, threads)
                              : pretouch_job_now(range->start, range->bytes, threads);
    }
    if (taken) {
        COUNTER_ADD(pretouch_ranges, 1);
    } else {
        COUNTER_ADD(pretouch_left_alone, 1);
    }
}

void pretouch_heap_advised(void *address, size_t bytes, int advice, const void *caller)
{
    int saved = errno;
    struct pretouch_range range = {(uintptr_t)address, bytes}, due;
    switch (advice) {
    case MADV_HUGEPAGE:
        if (pretouch_run_add(&range, runtime_config()->pretouch_min_bytes, &due)) {
            take_up(&due, caller);
        }
        break;
    case MADV_DONTNEED:
    case MADV_FREE:
    case MADV_REMOVE:
    case MADV_NOHUGEPAGE:
        pretouch_job_withdraw(range.start, range.bytes);
        break;
    default:
        break;
    }
    errno = saved;
}
