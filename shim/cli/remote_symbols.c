/* Dynamic symbols by their hash tables, as the dynamic loader looks them up. Every access
 * is a read of the other process's memory, which fails where there is nothing: no
 * number in there is trusted for an access of our own. */
#include "shim/cli/remote_library.h"
#include "detect/process_memory.h"

#include <elf.h>
#include <errno.h>
#include <libelf.h>
#include <string.h>

#define PROGRAM_HEADERS_MAX 64
#define DYNAMIC_MAX         256
#define CHAIN_MAX           100000

static uint64_t read_word(const struct remote_symbols *symbols, uint64_t address, int *result)
{
    uint64_t word64 = 0;
    uint32_t word32 = 0;
    if (*result != 0) {
        return 0;
    }
    if (symbols->is_64) {
        *result = process_memory_read(symbols->pid, address, &word64, sizeof(word64));
        return word64;
    }
    *result = process_memory_read(symbols->pid, address, &word32, sizeof(word32));
    return word32;
}

static uint32_t read_32(const struct remote_symbols *symbols, uint64_t address, int *result)
{
    uint32_t word = 0;
    if (*result == 0) {
        *result = process_memory_read(symbols->pid, address, &word, sizeof(word));
    }
    return word;
}

struct segment {
    uint32_t type;
    uint64_t offset, address, size;
};

static int read_segment(pid_t pid, bool is_64, uint64_t at, struct segment *ret_segment)
{
    Elf64_Phdr wide;
    Elf32_Phdr narrow;
    int result = is_64 ? process_memory_read(pid, at, &wide, sizeof(wide))
                       : process_memory_read(pid, at, &narrow, sizeof(narrow));
    if (result == 0) {
        *ret_segment =
            is_64
                ? (struct segment){wide.p_type, wide.p_offset, wide.p_vaddr, wide.p_memsz}
                : (struct segment){narrow.p_type, narrow.p_offset, narrow.p_vaddr, narrow.p_memsz};
    }
    return result;
}

/* Where the segments and the dynamic section are. */
static int read_headers(pid_t pid, const struct remote_library *library, bool *ret_is_64,
                        uint64_t *ret_bias, uint64_t *ret_dynamic)
{
    union {
        unsigned char identity[EI_NIDENT];
        Elf64_Ehdr wide;
        Elf32_Ehdr narrow;
    } header;
    int result = process_memory_read(pid, library->start, &header, sizeof(header));
    if (result != 0) {
        return result;
    }
    bool is_64 = header.identity[EI_CLASS] == ELFCLASS64;
    if (memcmp(header.identity, ELFMAG, SELFMAG) != 0 ||
        (!is_64 && header.identity[EI_CLASS] != ELFCLASS32)) {
        return -ENOEXEC;
    }
    uint64_t at = library->start + (is_64 ? header.wide.e_phoff : header.narrow.e_phoff);
    size_t count = is_64 ? header.wide.e_phnum : header.narrow.e_phnum;
    size_t size = is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
    uint64_t first_load = UINT64_MAX, dynamic = 0;
    for (size_t i = 0; i < count && i < PROGRAM_HEADERS_MAX; i++) {
        struct segment segment;
        result = read_segment(pid, is_64, at + i * size, &segment);
        if (result != 0) {
            return result;
        }
        if (segment.type == PT_LOAD && first_load == UINT64_MAX) {
            first_load = segment.address - segment.offset;
        } else if (segment.type == PT_DYNAMIC) {
            dynamic = segment.address;
        }
    }
    if (first_load == UINT64_MAX || dynamic == 0) {
        return -ENOEXEC;
    }
    *ret_is_64 = is_64;
    *ret_bias = library->start - first_load;
    *ret_dynamic = *ret_bias + dynamic;
    return 0;
}

int remote_symbols_open(pid_t pid, const struct remote_library *library,
                        struct remote_symbols *ret_symbols)
{
    struct remote_symbols symbols = {.pid = pid};
    uint64_t dynamic;
    int result = read_headers(pid, library, &symbols.is_64, &symbols.bias, &dynamic);
    size_t word = symbols.is_64 ? 8 : 4;
    for (size_t i = 0; result == 0 && i < DYNAMIC_MAX; i++) {
        uint64_t tag = read_word(&symbols, dynamic + i * 2 * word, &result);
        uint64_t value = read_word(&symbols, dynamic + (i * 2 + 1) * word, &result);
        /* glibc turns these into addresses when it loads a library, musl does not. */
        uint64_t address = value >= symbols.bias ? value : value + symbols.bias;
        if (tag == DT_NULL) {
            break;
        }
        if (tag == DT_SYMTAB) {
            symbols.symbols = address;
        } else if (tag == DT_STRTAB) {
            symbols.strings = address;
        } else if (tag == DT_GNU_HASH || tag == (uint32_t)DT_GNU_HASH) {
            symbols.gnu_hash = address;
        } else if (tag == DT_HASH) {
            symbols.hash = address;
        }
    }
    if (result == 0 && (symbols.symbols == 0 || symbols.strings == 0 ||
                        (symbols.gnu_hash == 0 && symbols.hash == 0))) {
        result = -ENOEXEC;
    }
    if (result == 0) {
        *ret_symbols = symbols;
    }
    return result;
}

/* Is the symbol with this number the one, and defined here? */
static bool is_it(const struct remote_symbols *symbols, uint32_t number, const char *name,
                  uint64_t *ret_address, int *result)
{
    char text[128];
    Elf64_Sym wide;
    Elf32_Sym narrow;
    size_t length = strlen(name) + 1, size = symbols->is_64 ? sizeof(wide) : sizeof(narrow);
    uint64_t at = symbols->symbols + number * (uint64_t)size;
    *result = symbols->is_64 ? process_memory_read(symbols->pid, at, &wide, sizeof(wide))
                             : process_memory_read(symbols->pid, at, &narrow, sizeof(narrow));
    if (*result != 0 || length > sizeof(text)) {
        return false;
    }
    uint32_t name_at = symbols->is_64 ? wide.st_name : narrow.st_name;
    uint16_t section = symbols->is_64 ? wide.st_shndx : narrow.st_shndx;
    *result = process_memory_read(symbols->pid, symbols->strings + name_at, text, length);
    if (*result == -EFAULT) { /* a shorter name, the last in its mapping */
        *result = 0;
        return false;
    }
    if (*result != 0 || memcmp(text, name, length) != 0 || section == SHN_UNDEF) {
        return false;
    }
    *ret_address = symbols->bias + (symbols->is_64 ? wide.st_value : narrow.st_value);
    return true;
}

static int find_by_gnu_hash(const struct remote_symbols *symbols, const char *name,
                            uint64_t *ret_address)
{
    int result = 0;
    uint32_t buckets = read_32(symbols, symbols->gnu_hash, &result);
    uint32_t first = read_32(symbols, symbols->gnu_hash + 4, &result);
    uint32_t filters = read_32(symbols, symbols->gnu_hash + 8, &result);
    uint64_t bucket = symbols->gnu_hash + 16 + filters * (uint64_t)(symbols->is_64 ? 8 : 4);
    uint64_t chain = bucket + buckets * UINT64_C(4);
    uint32_t hash = (uint32_t)elf_gnu_hash(name);
    if (result != 0 || buckets == 0) {
        return result != 0 ? result : -ENOENT;
    }
    uint32_t number = read_32(symbols, bucket + hash % buckets * UINT64_C(4), &result);
    if (number < first) { /* an empty bucket */
        return result != 0 ? result : -ENOENT;
    }
    for (size_t i = 0; result == 0 && i < CHAIN_MAX; i++, number++) {
        uint32_t told = read_32(symbols, chain + (number - first) * UINT64_C(4), &result);
        if (result == 0 && (told | 1) == (hash | 1) &&
            is_it(symbols, number, name, ret_address, &result)) {
            return 0;
        }
        if ((told & 1) != 0) {
            break;
        }
    }
    return result != 0 ? result : -ENOENT;
}

static int find_by_hash(const struct remote_symbols *symbols, const char *name,
                        uint64_t *ret_address)
{
    int result = 0;
    uint32_t buckets = read_32(symbols, symbols->hash, &result);
    if (result != 0 || buckets == 0) {
        return result != 0 ? result : -ENOENT;
    }
    uint64_t bucket = symbols->hash + 8, chain = bucket + buckets * UINT64_C(4);
    uint32_t number = read_32(symbols, bucket + elf_hash(name) % buckets * 4, &result);
    for (size_t i = 0; result == 0 && number != STN_UNDEF && i < CHAIN_MAX; i++) {
        if (is_it(symbols, number, name, ret_address, &result)) {
            return 0;
        }
        number = read_32(symbols, chain + number * UINT64_C(4), &result);
    }
    return result != 0 ? result : -ENOENT;
}

int remote_symbols_find(const struct remote_symbols *symbols, const char *name,
                        uint64_t *ret_address)
{
    return symbols->gnu_hash != 0 ? find_by_gnu_hash(symbols, name, ret_address)
                                  : find_by_hash(symbols, name, ret_address);
}
