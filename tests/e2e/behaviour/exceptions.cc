// C++ in new threads: exceptions within and out of a thread function, forced unwinding by
// pthread_exit and cancellation, destructors of thread_local objects, std::thread.
#include "tests/e2e/behaviour/check.h"
#include "tests/e2e/behaviour/child.h"
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace
{
std::atomic<int> destroyed;

struct counted {
    std::string text = "long enough to be allocated on the heap, and freed at the end";
    ~counted()
    {
        ++destroyed;
    }
};

thread_local counted per_thread;

void *throws_within(void *argument)
{
    counted local;
    try {
        counted inner;
        throw std::runtime_error(per_thread.text);
    } catch (const std::exception &error) {
        CHECK(per_thread.text == error.what());
    }
    return argument;
}

void *leaves_by_pthread_exit(void *argument)
{
    counted local;
    CHECK(!per_thread.text.empty());
    try {
        pthread_exit(argument);
    } catch (const std::exception &) {
        CHECK(!"a forced unwind is no std::exception");
    } catch (...) {
        ++destroyed;
        throw;
    }
}

void *is_cancelled(void *)
{
    counted local;
    CHECK(!per_thread.text.empty());
    CHECK_OK(pthread_cancel(pthread_self()));
    pthread_testcancel();
    CHECK(!"the cancellation point is not passed");
    return nullptr;
}

void *throws_out(void *)
{
    throw std::runtime_error("out of the thread function");
}

[[noreturn]] void terminated()
{
    try {
        std::rethrow_exception(std::current_exception());
    } catch (const std::runtime_error &error) {
        _exit(error.what() == std::string("out of the thread function") ? 43 : 44);
    } catch (...) {
        _exit(45);
    }
}

void throw_out_of_thread(void *set_handler)
{
    if (set_handler != nullptr) {
        std::set_terminate(terminated);
    } else {
        // Its message is known, and not the point here.
        close(STDERR_FILENO);
    }
    run_thread(nullptr, throws_out, nullptr);
}

void standard_threads()
{
    destroyed = 0;
    std::vector<std::thread> threads;
    std::atomic<int> sum{0};
    for (int i = 0; i < 100; i++) {
        threads.emplace_back([&sum, i] {
            throws_within(nullptr);
            sum += i;
        });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    CHECK_EQUAL(sum, 4950);
    CHECK_EQUAL(destroyed, 300);
}
} // namespace

int main()
{
    pthread_attr_t attr;
    make_attr(&attr, static_cast<size_t>(2) << 20, 0);
    for (int i = 0; i < 100; i++) {
        destroyed = 0;
        CHECK(run_thread(&attr, throws_within, &attr) == &attr);
        CHECK_EQUAL(destroyed, 3);
        destroyed = 0;
        CHECK(run_thread(&attr, leaves_by_pthread_exit, &attr) == &attr);
        CHECK_EQUAL(destroyed, 3);
        destroyed = 0;
        CHECK(run_thread(&attr, is_cancelled, nullptr) == PTHREAD_CANCELED);
        CHECK_EQUAL(destroyed, 2);
    }
    standard_threads();

    int status = child_run(throw_out_of_thread, nullptr);
    CHECK(WIFSIGNALED(status));
    CHECK_EQUAL(WTERMSIG(status), SIGABRT);
    status = child_run(throw_out_of_thread, &attr);
    CHECK(WIFEXITED(status));
    CHECK_EQUAL(WEXITSTATUS(status), 43);
    return finish();
}
