/* The JVM's own JVM_StartThread.
 *
 * With the java launcher it is next in line. An application that loads libjvm.so itself
 * may keep it out of the global scope (RTLD_LOCAL); libjava.so's reference is bound to
 * ours all the same, since the global scope is searched first.
 */
#ifndef THPFIX_SHIM_JVM_REAL_H
#define THPFIX_SHIM_JVM_REAL_H

/* The JNIEnv of jni.h, as far as it is needed: the table's layout is part of JNI. */
struct jvm_env {
    void *const *functions;
};

typedef void jvm_start_thread_function(struct jvm_env *env, void *thread);

/* ours: the address not to be mistaken for it. Looks once, then it is one load. The
 * first call comes early in the start of a JVM, from its only thread; it takes the
 * loader's lock and may allocate. Any thread; errno untouched. NULL where no loaded
 * object has it. */
jvm_start_thread_function *jvm_real_start_thread(jvm_start_thread_function *ours);

/* Raises in the caller's Java code what an unresolved native method raises. */
void jvm_real_throw_not_found(struct jvm_env *env);

#endif
