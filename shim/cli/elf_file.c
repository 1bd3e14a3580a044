#include "shim/cli/elf_file.h"
#include "shim/cli/sanitizer.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

/* The bytes of the file at a virtual address, up to the end of their segment. */
static Elf_Data *data_at(Elf *elf, GElf_Addr address, Elf_Type type)
{
    size_t count;
    GElf_Phdr segment;
    if (elf_getphdrnum(elf, &count) != 0) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        if (gelf_getphdr(elf, (int)i, &segment) != NULL && segment.p_type == PT_LOAD &&
            address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz) {
            GElf_Addr skip = address - segment.p_vaddr;
            return elf_getdata_rawchunk(elf, (int64_t)(segment.p_offset + skip),
                                        segment.p_filesz - skip, type);
        }
    }
    return NULL;
}

static const char *string_at(const Elf_Data *strings, GElf_Xword offset)
{
    if (strings == NULL || offset >= strings->d_size ||
        memchr((const char *)strings->d_buf + offset, '\0', strings->d_size - offset) == NULL) {
        return NULL;
    }
    return (const char *)strings->d_buf + offset;
}

static void add_needed(struct elf_file *file, const char *needed)
{
    if (needed == NULL || file->runtime_count == ELF_FILE_RUNTIMES ||
        strlen(needed) >= sizeof(file->runtimes[0]) || !sanitizer_is_runtime(needed)) {
        return;
    }
    memcpy(file->runtimes[file->runtime_count++], needed, strlen(needed) + 1);
}

static void read_dynamic(Elf *elf, const GElf_Phdr *segment, struct elf_file *file)
{
    Elf_Data *entries =
        elf_getdata_rawchunk(elf, (int64_t)segment->p_offset, segment->p_filesz, ELF_T_DYN);
    file->dynamic = true;
    Elf_Data *strings = NULL;
    GElf_Dyn entry;
    for (int i = 0; entries != NULL && gelf_getdyn(entries, i, &entry) != NULL; i++) {
        if (entry.d_tag == DT_NULL) {
            break;
        }
        if (entry.d_tag == DT_STRTAB) {
            strings = data_at(elf, entry.d_un.d_ptr, ELF_T_BYTE);
        }
    }
    for (int i = 0; entries != NULL && gelf_getdyn(entries, i, &entry) != NULL; i++) {
        if (entry.d_tag == DT_NULL) {
            break;
        }
        if (entry.d_tag == DT_SONAME) {
            file->named = true;
        } else if (entry.d_tag == DT_NEEDED) {
            add_needed(file, string_at(strings, entry.d_un.d_val));
        }
    }
}

static void read_loader(Elf *elf, const GElf_Phdr *segment, struct elf_file *file)
{
    Elf_Data *text =
        elf_getdata_rawchunk(elf, (int64_t)segment->p_offset, segment->p_filesz, ELF_T_BYTE);
    const char *loader = string_at(text, 0);
    if (loader != NULL && strlen(loader) < sizeof(file->loader)) {
        memcpy(file->loader, loader, strlen(loader) + 1);
    }
}

/* clang exports the interface of the runtime that it links in; gcc leaves it to the
 * full symbol table. */
static const char *find_sanitizer(Elf *elf)
{
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section != NULL;
         section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == NULL ||
            (header.sh_type != SHT_DYNSYM && header.sh_type != SHT_SYMTAB)) {
            continue;
        }
        Elf_Data *symbols = elf_getdata(section, NULL);
        GElf_Sym symbol;
        for (int i = 0; symbols != NULL && gelf_getsym(symbols, i, &symbol) != NULL; i++) {
            const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
            if (symbol.st_shndx != SHN_UNDEF && name != NULL && sanitizer_of_symbol(name) != NULL) {
                return sanitizer_of_symbol(name);
            }
        }
    }
    return NULL;
}

static int read_elf(Elf *elf, struct elf_file *ret_file)
{
    GElf_Ehdr header;
    size_t count;
    if (elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &header) == NULL ||
        elf_getphdrnum(elf, &count) != 0) {
        return -ENOEXEC;
    }
    struct elf_file file = {
        .bits = gelf_getclass(elf) == ELFCLASS32 ? 32 : 64,
        .machine = header.e_machine,
        .shared = header.e_type == ET_DYN,
    };
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (gelf_getphdr(elf, (int)i, &segment) == NULL) {
            return -ENOEXEC;
        }
        if (segment.p_type == PT_DYNAMIC) {
            read_dynamic(elf, &segment, &file);
        } else if (segment.p_type == PT_INTERP) {
            read_loader(elf, &segment, &file);
        }
    }
    *ret_file = file;
    return 0;
}

/* On success the caller ends *ret_elf and closes *ret_fd. */
static int open_elf(const char *path, Elf **ret_elf, int *ret_fd)
{
    if (elf_version(EV_CURRENT) == EV_NONE) {
        return -ENOSYS;
    }
    /* Not blocking: the path may be that of a FIFO. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return -errno;
    }
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    if (elf == NULL) {
        (void)close(fd);
        return -ENOEXEC;
    }
    *ret_elf = elf;
    *ret_fd = fd;
    return 0;
}

int elf_file_read(const char *path, struct elf_file *ret_file)
{
    Elf *elf = NULL;
    int fd = -1;
    int result = open_elf(path, &elf, &fd);
    if (result == 0) {
        result = read_elf(elf, ret_file);
        (void)elf_end(elf);
        (void)close(fd);
    }
    return result;
}

const char *elf_file_built_in_sanitizer(const char *path)
{
    Elf *elf = NULL;
    int fd = -1;
    if (open_elf(path, &elf, &fd) != 0) {
        return NULL;
    }
    const char *sanitizer = find_sanitizer(elf);
    (void)elf_end(elf);
    (void)close(fd);
    return sanitizer;
}
