#include "shim/cli/glibc_layout.h"
#include "detect/process_memory.h"
#include "detect/root_read.h"
#include "shim/cli/elf_symbols.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

static bool file_begins(const char *path, const char *with)
{
    const char *slash = strrchr(path, '/');
    return strncmp(slash != NULL ? slash + 1 : path, with, strlen(with)) == 0;
}

bool glibc_is_libc(const char *path)
{
    return file_begins(path, "libc.so.6") || file_begins(path, "libc-2.");
}

bool glibc_is_libpthread(const char *path)
{
    return file_begins(path, "libpthread.so.0") || file_begins(path, "libpthread-2.");
}

bool glibc_is_loader(const char *path)
{
    return file_begins(path, "ld-linux") || file_begins(path, "ld-2.") ||
           file_begins(path, "ld64.so") || file_begins(path, "ld.so");
}

/* What glibc keeps for libthread_db. Each description is three 32-bit numbers: size in
 * bits, number of elements, offset. */
enum {
    DESCRIBES_LIST,
    DESCRIBES_TID,
    SIZE_OF_PTHREAD,
    DESCRIBES_OWN_LIST,     /* from 2.33: in _rtld_global */
    DESCRIBES_CALLERS_LIST, /* likewise */
    OWN_LIST,               /* before: the list itself */
    CALLERS_LIST,
    NAME_COUNT,
};

static const char *const names[NAME_COUNT] = {
    [DESCRIBES_LIST] = "_thread_db_pthread_list",
    [DESCRIBES_TID] = "_thread_db_pthread_tid",
    [SIZE_OF_PTHREAD] = "_thread_db_sizeof_pthread",
    [DESCRIBES_OWN_LIST] = "_thread_db_rtld_global__dl_stack_used",
    [DESCRIBES_CALLERS_LIST] = "_thread_db_rtld_global__dl_stack_user",
    [OWN_LIST] = "stack_used",
    [CALLERS_LIST] = "__stack_user",
};

/* The addresses of those in the process; 0 where there is none. */
static int find_exported(pid_t tid, const struct remote_library *library, uint64_t *ret_addresses)
{
    struct remote_symbols symbols;
    int result = remote_symbols_open(tid, library, &symbols);
    if (result == 0 && !symbols.is_64) {
        return -ENOTSUP;
    }
    for (size_t i = 0; result == 0 && i < NAME_COUNT; i++) {
        ret_addresses[i] = 0;
        result = remote_symbols_find(&symbols, names[i], &ret_addresses[i]);
        result = result == -ENOENT ? 0 : result;
    }
    return result;
}

static int find_in_file(pid_t tid, const struct remote_library *library, uint64_t *ret_addresses)
{
    struct remote_symbols symbols;
    int result = remote_symbols_open(tid, library, &symbols);
    if (result != 0) {
        return result;
    }
    int fd = elf_symbols_open_file(tid, library);
    if (fd < 0) {
        return fd;
    }
    result = elf_symbols_find(fd, names, NAME_COUNT, ret_addresses);
    root_close(fd);
    for (size_t i = 0; result == 0 && i < NAME_COUNT; i++) {
        ret_addresses[i] += ret_addresses[i] != 0 ? symbols.bias : 0;
    }
    return result;
}

static int read_offset(pid_t tid, uint64_t description, uint32_t *ret_offset)
{
    uint32_t words[3];
    int result = process_memory_read(tid, description, words, sizeof(words));
    if (result == 0) {
        *ret_offset = words[2];
    }
    return result;
}

static int find_lists(pid_t tid, const struct remote_library *loader, const uint64_t *addresses,
                      struct glibc_layout *layout)
{
    struct remote_symbols symbols;
    uint64_t global;
    uint32_t own, callers;
    if (addresses[DESCRIBES_OWN_LIST] == 0 || addresses[DESCRIBES_CALLERS_LIST] == 0) {
        layout->own_list = addresses[OWN_LIST];
        layout->callers_list = addresses[CALLERS_LIST];
        return layout->own_list != 0 ? 0 : -ENOENT;
    }
    if (loader->start == 0) {
        return -ENOENT;
    }
    int result = remote_symbols_open(tid, loader, &symbols);
    if (result == 0) {
        result = remote_symbols_find(&symbols, "_rtld_global", &global);
    }
    if (result == 0) {
        result = read_offset(tid, addresses[DESCRIBES_OWN_LIST], &own);
    }
    if (result == 0) {
        result = read_offset(tid, addresses[DESCRIBES_CALLERS_LIST], &callers);
    }
    if (result == 0) {
        layout->own_list = global + own;
        layout->callers_list = global + callers;
    }
    return result;
}

static int read_layout(pid_t tid, const struct glibc_libraries *libraries,
                       struct glibc_layout *ret_layout)
{
    uint64_t addresses[NAME_COUNT] = {0};
    struct glibc_layout layout = {0};
    int result = -ENOENT;
    if (libraries->libc.start != 0) {
        result = find_exported(tid, &libraries->libc, addresses);
    }
    if (result == 0 && addresses[SIZE_OF_PTHREAD] == 0) {
        result = libraries->libpthread.start != 0
                     ? find_in_file(tid, &libraries->libpthread, addresses)
                     : -ENOENT;
    }
    if (result != 0) {
        return result;
    }
    if (addresses[DESCRIBES_LIST] == 0 || addresses[DESCRIBES_TID] == 0 ||
        addresses[SIZE_OF_PTHREAD] == 0) {
        return -ENOENT;
    }
    result = read_offset(tid, addresses[DESCRIBES_LIST], &layout.list_offset);
    if (result == 0) {
        result = read_offset(tid, addresses[DESCRIBES_TID], &layout.tid_offset);
    }
    if (result == 0) {
        result = process_memory_read(tid, addresses[SIZE_OF_PTHREAD], &layout.descriptor_bytes,
                                     sizeof(layout.descriptor_bytes));
    }
    if (result == 0) {
        result = find_lists(tid, &libraries->loader, addresses, &layout);
    }
    if (result == 0) {
        *ret_layout = layout;
    }
    return result;
}

/* What was found in one process holds for all that have mapped the same files: only the
 * addresses differ, by as much as the libraries' do. */
#define KNOWN_LAYOUTS 16

static struct known_layout {
    uint64_t inodes[2], sizes[2]; /* of C library and loader */
    char path[256];               /* of the C library; "" unused */
    uint64_t loader_start;
    struct glibc_layout layout;
} known_layouts[KNOWN_LAYOUTS];
static size_t known_count;
static pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER;

static struct known_layout describe(const struct glibc_libraries *libraries)
{
    struct known_layout known = {
        .inodes = {libraries->libc.inode, libraries->loader.inode},
        .sizes = {libraries->libc.end - libraries->libc.start,
                  libraries->loader.end - libraries->loader.start},
        .loader_start = libraries->loader.start,
    };
    memcpy(known.path, libraries->libc.path, sizeof(known.path));
    return known;
}

static bool find_known(const struct known_layout *wanted, struct glibc_layout *ret_layout)
{
    bool found = false;
    (void)pthread_mutex_lock(&known_lock);
    for (size_t i = 0; i < known_count && !found; i++) {
        const struct known_layout *known = &known_layouts[i];
        found = memcmp(known->inodes, wanted->inodes, sizeof(known->inodes)) == 0 &&
                memcmp(known->sizes, wanted->sizes, sizeof(known->sizes)) == 0 &&
                strcmp(known->path, wanted->path) == 0;
        if (found) {
            *ret_layout = known->layout;
            ret_layout->own_list += wanted->loader_start - known->loader_start;
            ret_layout->callers_list += wanted->loader_start - known->loader_start;
        }
    }
    (void)pthread_mutex_unlock(&known_lock);
    return found;
}

static void remember(const struct known_layout *known)
{
    (void)pthread_mutex_lock(&known_lock);
    if (known_count < KNOWN_LAYOUTS) {
        known_layouts[known_count++] = *known;
    }
    (void)pthread_mutex_unlock(&known_lock);
}

int glibc_layout_read(pid_t tid, const struct glibc_libraries *libraries,
                      struct glibc_layout *ret_layout)
{
    /* Where the thread library is one of its own, the lists may be in there. */
    bool can_be_known = libraries->libpthread.start == 0 && libraries->libc.start != 0 &&
                        libraries->loader.start != 0;
    struct known_layout known = describe(libraries);
    if (can_be_known && find_known(&known, ret_layout)) {
        return 0;
    }
    int result = read_layout(tid, libraries, ret_layout);
    if (result == 0 && can_be_known) {
        known.layout = *ret_layout;
        remember(&known);
    }
    return result;
}
