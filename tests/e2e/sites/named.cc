// Threads from functions whose names C++ has changed: two from place::first(int), one from a
// member of a template. Prints "ready" and waits.
#include <pthread.h>

#include <cstdio>
#include <unistd.h>

static void *wait_for_ever(void *argument)
{
    for (;;)
        pause();
    return argument;
}

static int start()
{
    pthread_t thread;
    return pthread_create(&thread, nullptr, wait_for_ever, nullptr);
}

namespace place
{
__attribute__((noinline)) int first(int count)
{
    int failed = 0;
    for (int i = 0; i < count; i++)
        failed += start() != 0;
    return failed;
}
} // namespace place

template <typename Type> struct pool {
    __attribute__((noinline)) int grow(Type)
    {
        int failed = start();
        return failed != 0;
    }
};

int main()
{
    if (place::first(2) + pool<long>().grow(1) != 0)
        return 1;
    std::puts("ready");
    std::fflush(stdout);
    for (;;)
        pause();
}
