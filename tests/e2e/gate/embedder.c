/* embedder local|global|orphan LIBJAVA [LIBJVM]
 *
 * An application that loads a JVM itself. EXPECT_MOST_INSIDE says how many threads may
 * have been inside JVM_StartThread at once: 2 without a gate, 1 with it. orphan: there is
 * no JVM; without the library LIBJAVA does not load, and with it (EXPECT_LIBRARY) the
 * call raises in Java what an unresolved method raises. */
#include "detect/counters_abi.h"
#include "fake_vm.h"

#include <dlfcn.h>
#include <err.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STARTERS 4

static fake_start_thread *start_thread;
static int started;
static const char *class_asked_for, *error_raised;

static void *find_class(struct fake_env *env, const char *name)
{
    class_asked_for = name;
    return env;
}

static int throw_new(struct fake_env *env, void *class, const char *message)
{
    error_raised = class == env ? message : NULL;
    return 0;
}

static struct fake_env *fake_env(void)
{
    static void *functions[16];
    static struct fake_env env = {functions};
    functions[6] = (void *)find_class; /* the places they have in JNI */
    functions[14] = (void *)throw_new;
    return &env;
}

static void *start(void *argument)
{
    start_thread(fake_env(), &started);
    return argument;
}

static void *load(const char *path, int mode)
{
    void *const handle = dlopen(path, RTLD_NOW | mode);
    if (handle == NULL) {
        errx(1, "%s", dlerror());
    }
    return handle;
}

static fake_start_thread *method_of(void *java)
{
    fake_start_thread *const *const natives = dlsym(java, "fake_java_natives");
    if (natives == NULL) {
        errx(1, "%s", dlerror());
    }
    return natives[0];
}

static const struct counters *counters(void)
{
    return dlsym(RTLD_DEFAULT, COUNTERS_SYMBOL);
}

static int run_orphan(const char *libjava)
{
    if (getenv("EXPECT_LIBRARY") == NULL) {
        if (dlopen(libjava, RTLD_NOW) != NULL) {
            errx(1, "%s loaded without a JVM", libjava);
        }
        return 0;
    }
    start_thread = method_of(load(libjava, RTLD_LOCAL));
    start(NULL);
    if (error_raised == NULL || strcmp(class_asked_for, "java/lang/UnsatisfiedLinkError") != 0) {
        errx(1, "no UnsatisfiedLinkError was raised");
    }
    if (counters()->jvm_start_not_found != 1) {
        errx(1, "the failure was not counted");
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "orphan") == 0) {
        return run_orphan(argv[2]);
    }
    if (argc != 4) {
        errx(2, "usage: embedder local|global LIBJAVA LIBJVM, or embedder orphan LIBJAVA");
    }
    const int mode = strcmp(argv[1], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL;
    void *const vm = load(argv[3], mode);
    int (*const most_inside)(void) = (int (*)(void))dlsym(vm, "fake_vm_most_inside");
    start_thread = method_of(load(argv[2], mode));

    pthread_t threads[STARTERS];
    for (int i = 0; i < STARTERS; i++) {
        pthread_create(&threads[i], NULL, start, NULL);
    }
    for (int i = 0; i < STARTERS; i++) {
        pthread_join(threads[i], NULL);
    }
    const char *const expected = getenv("EXPECT_MOST_INSIDE");
    printf("started %d of %d, at most %d at once, expected %s\n", started, STARTERS, most_inside(),
           expected);
    /* At least two overlap without a gate; how many more is chance. */
    const int most = most_inside() < 2 ? most_inside() : 2;
    return started == STARTERS && most == atoi(expected) ? 0 : 1;
}
