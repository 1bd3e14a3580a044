/* A JVM as far as thread starts go: libjvm.so, libjava.so and a program that loads them. */
#ifndef THPFIX_TESTS_FAKE_VM_H
#define THPFIX_TESTS_FAKE_VM_H

#define EXPORT __attribute__((visibility("default")))

/* The layout of JNIEnv. */
struct fake_env {
    void *const *functions;
};

typedef void fake_start_thread(struct fake_env *env, void *thread);

fake_start_thread JVM_StartThread;
int fake_vm_most_inside(void);

/* In libjava.so: the table of native methods of java.lang.Thread. */
extern fake_start_thread *const fake_java_natives[1];

#endif
