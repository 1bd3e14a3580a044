#include "shim/cli/elf_symbols.h"
#include "detect/root_read.h"
#include "shim/cli/remote_file.h"

#include <errno.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Is this the file that is mapped? */
static bool is_same(const struct stat *status, const struct remote_library *library)
{
    return S_ISREG(status->st_mode) && status->st_ino == library->inode;
}

int elf_symbols_open_file(pid_t tid, const struct remote_library *library)
{
    char path[REMOTE_FILE_BYTES];
    struct stat status;
    /* Always the file itself, but only for the privileged. */
    (void)snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", (int)tid,
                   (unsigned long long)library->start, (unsigned long long)library->end);
    int fd = root_open(ROOT_HOST, path);
    if (fd >= 0) {
        return fd;
    }
    /* Looked at before it is opened: what has the name now may be a pipe that nobody
     * writes to. */
    remote_file_path(tid, library->path, path);
    if (stat(path, &status) != 0) {
        return errno == ENOENT ? -ESTALE : -errno;
    }
    if (!is_same(&status, library)) {
        return -ESTALE;
    }
    fd = root_open(ROOT_HOST, path);
    if (fd >= 0 && (fstat(fd, &status) != 0 || !is_same(&status, library))) {
        root_close(fd);
        return -ESTALE;
    }
    return fd;
}

static void look_through(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                         const char *const *names, size_t count, uint64_t *values)
{
    Elf_Data *symbols = elf_getdata(section, NULL);
    GElf_Sym symbol;
    for (int i = 0; symbols != NULL && gelf_getsym(symbols, i, &symbol) != NULL; i++) {
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (name == NULL || symbol.st_shndx == SHN_UNDEF) {
            continue;
        }
        for (size_t j = 0; j < count; j++) {
            if (values[j] == 0 && strcmp(name, names[j]) == 0) {
                values[j] = symbol.st_value;
            }
        }
    }
}

int elf_symbols_find(int fd, const char *const *names, size_t count, uint64_t *ret_values)
{
    if (elf_version(EV_CURRENT) == EV_NONE) {
        return -ENOEXEC;
    }
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    if (elf == NULL || elf_kind(elf) != ELF_K_ELF) {
        (void)elf_end(elf);
        return -ENOEXEC;
    }
    memset(ret_values, 0, count * sizeof(*ret_values));
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section != NULL;
         section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) != NULL &&
            (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM)) {
            look_through(elf, section, &header, names, count, ret_values);
        }
    }
    (void)elf_end(elf);
    return 0;
}
