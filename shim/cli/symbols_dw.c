/* By libdw of elfutils: symbol tables and DWARF, from the files that the process sees. */
#include "shim/cli/symbols.h"

#include "detect/root_read.h"
#include "shim/cli/remote_file.h"

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct symbols {
    Dwfl *dwfl;
};

/* libdw's callbacks have no context that is there for every kind of module. */
static pid_t opened_for;

/* The file as the process sees it, whose root directory may be another one. Of a deleted
 * file the name does not exist, and nothing else is taken for it. */
static int find_elf(Dwfl_Module *module, void **context, const char *name, Dwarf_Addr base,
                    char **file_name, Elf **elf)
{
    char path[REMOTE_FILE_BYTES];
    if (name[0] == '/') {
        remote_file_path(opened_for, name, path);
        int fd = root_open(ROOT_HOST, path);
        *file_name = fd >= 0 ? strdup(path) : NULL;
        return fd;
    }
    return dwfl_linux_proc_find_elf(module, context, name, base, file_name, elf);
}

/* What is installed here; not the standard search, which may go to the network. */
static const Dwfl_Callbacks callbacks = {
    .find_elf = find_elf,
    .find_debuginfo = dwfl_build_id_find_debuginfo,
};

struct symbols *symbols_open(pid_t tid)
{
    struct symbols *symbols = malloc(sizeof(*symbols));
    if (symbols == NULL) {
        return NULL;
    }
    opened_for = tid;
    symbols->dwfl = dwfl_begin(&callbacks);
    if (symbols->dwfl == NULL || dwfl_linux_proc_report(symbols->dwfl, tid) != 0 ||
        dwfl_report_end(symbols->dwfl, NULL, NULL) != 0) {
        symbols_close(symbols);
        return NULL;
    }
    return symbols;
}

void symbols_close(struct symbols *symbols)
{
    dwfl_end(symbols->dwfl);
    free(symbols);
}

/* libdw counts what is mapped close behind a file among its module, as its bss would be. */
static bool is_outside(Dwfl_Module *module, Dwarf_Addr address)
{
    GElf_Addr bias;
    return dwfl_module_getelf(module, &bias) != NULL &&
           dwfl_module_address_section(module, &address, &bias) == NULL;
}

void symbols_find(struct symbols *symbols, uint64_t address, struct symbol *ret_symbol)
{
    Dwarf_Addr start;
    GElf_Sym unused;
    GElf_Off offset;
    memset(ret_symbol, 0, sizeof(*ret_symbol));
    Dwfl_Module *module = dwfl_addrmodule(symbols->dwfl, address - 1);
    if (module == NULL || is_outside(module, address - 1)) {
        return;
    }
    const char *name = dwfl_module_info(module, NULL, &start, NULL, NULL, NULL, NULL, NULL);
    (void)snprintf(ret_symbol->module, sizeof(ret_symbol->module), "%s", name);
    ret_symbol->module_offset = address - start;
    name = dwfl_module_addrinfo(module, address - 1, &offset, &unused, NULL, NULL, NULL);
    if (name != NULL) {
        (void)snprintf(ret_symbol->function, sizeof(ret_symbol->function), "%s", name);
        ret_symbol->function_offset = offset + 1;
    }
    Dwfl_Line *line = dwfl_module_getsrc(module, address - 1);
    const char *source =
        line != NULL ? dwfl_lineinfo(line, NULL, &ret_symbol->line, NULL, NULL, NULL) : NULL;
    if (source != NULL) {
        (void)snprintf(ret_symbol->source, sizeof(ret_symbol->source), "%s", source);
    }
}
