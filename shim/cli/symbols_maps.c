/* Without libdw: the file and the place in it, for addr2line. */
#include "detect/process_smaps.h"
#include "detect/root_read.h"
#include "shim/cli/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct symbols {
    pid_t tid;
};

struct search {
    uint64_t address;
    uint64_t start; /* of the file whose mappings are passing */
    struct symbol *symbol;
};

static int look_at(const struct smaps_mapping *mapping, void *context)
{
    struct search *search = context;
    if (mapping->offset == 0) {
        search->start = mapping->start;
    }
    if (mapping->start >= search->address || mapping->end < search->address) {
        return 0;
    }
    if (mapping->name[0] == '/') {
        (void)snprintf(search->symbol->module, sizeof(search->symbol->module), "%s", mapping->name);
        search->symbol->module_offset = search->address - search->start;
    }
    return 1;
}

struct symbols *symbols_open(pid_t tid)
{
    struct symbols *symbols = malloc(sizeof(*symbols));
    if (symbols != NULL) {
        symbols->tid = tid;
    }
    return symbols;
}

void symbols_close(struct symbols *symbols)
{
    free(symbols);
}

void symbols_find(struct symbols *symbols, uint64_t address, struct symbol *ret_symbol)
{
    struct search search = {.address = address, .symbol = ret_symbol};
    memset(ret_symbol, 0, sizeof(*ret_symbol));
    (void)process_read_maps(ROOT_HOST, symbols->tid, look_at, &search);
}
