/* The dynamic loader's functions, wherever this glibc keeps them.
 *
 * Built on a new glibc, the library must load on an old one, and must not need a file that
 * a small container may not have: dlsym is in libc.so.6 since glibc 2.34 and in
 * libdl.so.2 before. So it is asked for weakly, under its oldest version. Where a program
 * of an old glibc has no libdl.so.2, it is loaded at the first use. RTLD_NEXT means:
 * after this library. Takes the loader's lock; any thread. What fails leaves nothing for
 * the program's next dlerror(3).
 */
#ifndef THPFIX_SHIM_LOADER_H
#define THPFIX_SHIM_LOADER_H

void *loader_symbol(void *handle, const char *name); /* dlsym(3) */
void loader_close(void *handle);                     /* dlclose(3) */

/* dlopen(3); *ret_why, where it is wanted, is what dlerror(3) says of a failure, or NULL. */
void *loader_open(const char *path, int flags, const char **ret_why);

#endif
