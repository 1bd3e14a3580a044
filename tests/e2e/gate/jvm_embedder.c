/* jvm_embedder local|global LIBJVM THREADS: an application that loads a real JVM itself.
 *
 * Starts and joins THREADS Java threads through JNI. With EXPECT_PASSES set, at least so
 * many starts have to have gone through the gate; without it the library is not there. */
#include "detect/counters_abi.h"

#include <dlfcn.h>
#include <err.h>
#include <jni.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef jint create_vm_function(JavaVM **vm, void **env, void *args);

static void start_and_join(JNIEnv *env)
{
    const jclass class = (*env)->FindClass(env, "java/lang/Thread");
    const jmethodID init = (*env)->GetMethodID(env, class, "<init>", "()V");
    const jmethodID start = (*env)->GetMethodID(env, class, "start", "()V");
    const jmethodID join = (*env)->GetMethodID(env, class, "join", "()V");
    const jobject thread = (*env)->NewObject(env, class, init);
    (*env)->CallVoidMethod(env, thread, start);
    (*env)->CallVoidMethod(env, thread, join);
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionDescribe(env);
        errx(1, "a Java exception");
    }
    (*env)->DeleteLocalRef(env, thread);
    (*env)->DeleteLocalRef(env, class);
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        errx(2, "usage: jvm_embedder local|global LIBJVM THREADS");
    }
    const int mode = strcmp(argv[1], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL;
    void *const library = dlopen(argv[2], RTLD_NOW | mode);
    if (library == NULL) {
        printf("skipped: %s\n", dlerror());
        return 77;
    }
    create_vm_function *const create_vm = (create_vm_function *)dlsym(library, "JNI_CreateJavaVM");
    if (create_vm == NULL) {
        errx(1, "%s", dlerror());
    }
    char heap[] = "-Xmx64m";
    JavaVMOption option = {.optionString = heap};
    JavaVMInitArgs arguments = {.version = JNI_VERSION_1_8, .nOptions = 1, .options = &option};
    JavaVM *vm;
    JNIEnv *env;
    const jint error = create_vm(&vm, (void **)&env, &arguments);
    if (error != JNI_OK) {
        errx(1, "JNI_CreateJavaVM: %d", (int)error);
    }
    const int threads = atoi(argv[3]);
    for (int i = 0; i < threads; i++) {
        start_and_join(env);
    }
    (*vm)->DestroyJavaVM(vm);

    const struct counters *const counters = dlsym(RTLD_DEFAULT, COUNTERS_SYMBOL);
    const char *const expected = getenv("EXPECT_PASSES");
    if (expected == NULL) {
        return counters == NULL ? 0 : 1;
    }
    printf("%llu passes, %llu not found\n", (unsigned long long)counters->gate_passes,
           (unsigned long long)counters->jvm_start_not_found);
    return counters->gate_passes >= (uint64_t)atoi(expected) && counters->jvm_start_not_found == 0
               ? 0
               : 1;
}
