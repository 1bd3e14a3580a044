/* No unwinder sees a frame of the library on a new thread: the backtrace is the one of a
 * thread that was made past it, object by object. */
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/direct.h"
#include <dlfcn.h>
#include <execinfo.h>
#include <stdio.h>
#include <string.h>
#include <unwind.h>
#define UNW_LOCAL_ONLY
#include <libunwind.h>

#define MOST_FRAMES 64

struct trace {
    int depth;
    void *frames[MOST_FRAMES];
};

struct traces {
    struct trace by_backtrace, by_gcc, by_libunwind;
};

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *argument)
{
    struct trace *trace = argument;
    void *address = (void *)_Unwind_GetIP(context);
    if (address != NULL && trace->depth < MOST_FRAMES) {
        trace->frames[trace->depth++] = address;
    }
    return _URC_NO_REASON;
}

static void trace_by_libunwind(struct trace *trace)
{
    unw_context_t context;
    unw_cursor_t cursor;
    CHECK_OK(unw_getcontext(&context));
    CHECK_OK(unw_init_local(&cursor, &context));
    do {
        unw_word_t address;
        CHECK_OK(unw_get_reg(&cursor, UNW_REG_IP, &address));
        trace->frames[trace->depth++] = (void *)address;
    } while (trace->depth < MOST_FRAMES && unw_step(&cursor) > 0);
}

static void *look(void *argument)
{
    struct traces *traces = argument;
    traces->by_backtrace.depth = backtrace(traces->by_backtrace.frames, MOST_FRAMES);
    _Unwind_Backtrace(add_frame, &traces->by_gcc);
    trace_by_libunwind(&traces->by_libunwind);
    return NULL;
}

static const char *object_of(void *address)
{
    Dl_info info;
    return dladdr(address, &info) != 0 ? info.dli_fname : "(none)";
}

static void compare(const char *unwinder, const struct trace *with, const struct trace *without)
{
    printf("%s:", unwinder);
    for (int i = 0; i < with->depth; i++) {
        printf(" %s", object_of(with->frames[i]));
    }
    printf("\n");
    fflush(stdout);
    CHECK(without->depth >= 3);
    CHECK_EQUAL(with->depth, without->depth);
    for (int i = 0; i < with->depth; i++) {
        CHECK(strstr(object_of(with->frames[i]), "libthpfix") == NULL);
        CHECK(strcmp(object_of(with->frames[i]), object_of(without->frames[i])) == 0);
        CHECK(with->frames[i] == without->frames[i]);
    }
}

static void same_with_and_without(const pthread_attr_t *attr)
{
    struct traces with = {0}, without = {0};
    pthread_t thread;
    run_thread(attr, look, &with);
    CHECK_OK(direct()->create(&thread, attr, look, &without));
    CHECK_OK(pthread_join(thread, NULL));
    compare("backtrace", &with.by_backtrace, &without.by_backtrace);
    compare("_Unwind_Backtrace", &with.by_gcc, &without.by_gcc);
    compare("libunwind", &with.by_libunwind, &without.by_libunwind);
}

int main(void)
{
    pthread_attr_t attr;
    make_attr(&attr, (size_t)2 << 20, 0);
    same_with_and_without(NULL);
    same_with_and_without(&attr);
    CHECK_OK(pthread_attr_destroy(&attr));
    return finish();
}
