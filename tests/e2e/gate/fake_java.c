/* Built as libjava.so: refers to JVM_StartThread by relocation, as the real one does. */
#include "fake_vm.h"

EXPORT fake_start_thread *const fake_java_natives[1] = {JVM_StartThread};
