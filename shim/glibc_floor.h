/* Which version of a libc symbol the library asks for.
 *
 * Built on a new glibc, it must load on an old one. dlsym moved from libdl to libc in
 * glibc 2.34 under a new version; the old version is still there, so that one is asked
 * for. With the libraries that are needed (libc.so.6 and libdl.so.2, an empty stub since
 * 2.34) it is found in either. To be included wherever dlsym is called.
 */
#ifndef THPFIX_SHIM_GLIBC_FLOOR_H
#define THPFIX_SHIM_GLIBC_FLOOR_H

#if defined(__x86_64__)
#define GLIBC_FLOOR "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define GLIBC_FLOOR "GLIBC_2.17"
#elif defined(__i386__)
#define GLIBC_FLOOR "GLIBC_2.0"
#else
#error "no glibc floor is known for this architecture"
#endif

__asm__(".symver dlsym,dlsym@" GLIBC_FLOOR);

#endif
