// Threads that throw deep down, allocate, and have thread_local objects. Prints answers, then
// "ready"; ends with its input.
#include <atomic>
#include <cstdio>
#include <future>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

constexpr int threads = 64;
constexpr int depth = 1000;

static std::atomic<int> alive;

struct counted {
    std::vector<std::string> texts;
    counted()
    {
        alive++;
    }
    ~counted()
    {
        alive--;
    }
};

static thread_local counted local;

struct released {
    int &count;
    ~released()
    {
        count++;
    }
};

[[gnu::noinline]] static void descend(int left, int &unwound)
{
    released guard{unwound};
    local.texts.emplace_back(static_cast<size_t>(left % 300 + 1), 'x');
    if (left == 0)
        throw std::runtime_error("at the bottom with " + std::to_string(local.texts.size()));
    descend(left - 1, unwound);
}

static std::string work(int number)
{
    int unwound = 0;
    try {
        descend(depth + number, unwound);
    } catch (const std::runtime_error &thrown) {
        return std::string(thrown.what()) + ", " + std::to_string(unwound) + " unwound";
    }
    return "nothing thrown";
}

int main()
{
    std::promise<void> over;
    std::shared_future<void> end = over.get_future().share();
    std::vector<std::promise<std::string>> answers(threads);
    std::vector<std::thread> pool;
    for (int i = 0; i < threads; i++)
        pool.emplace_back([&answers, end, i] {
            answers[i].set_value(work(i));
            end.wait();
        });
    for (auto &answer : answers)
        std::cout << answer.get_future().get() << '\n';
    std::cout << alive << " alive\nready" << std::endl;
    while (std::getchar() != EOF)
        continue;
    over.set_value();
    for (auto &one : pool)
        one.join();
    std::cout << alive << " alive" << std::endl;
}
