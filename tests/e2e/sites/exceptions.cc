// Exceptions in and out of threads: each of ten is caught in the thread, thrown again, and
// carried to main() by a future. Prints "caught 20".
#include <cstdio>
#include <future>
#include <stdexcept>
#include <thread>

static int thrower(int number, int &caught)
{
    try {
        throw std::runtime_error("thrown");
    } catch (const std::exception &) {
        caught++;
        throw;
    }
    return number;
}

int main()
{
    int caught = 0;
    for (int i = 0; i < 10; i++) {
        auto future = std::async(std::launch::async, thrower, i, std::ref(caught));
        try {
            future.get();
        } catch (const std::runtime_error &) {
            caught++;
        }
    }
    std::printf("caught %d\n", caught);
    return caught == 20 ? 0 : 1;
}
