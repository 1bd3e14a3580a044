#include "shim/cli/counters_read.h"
#include "detect/process_memory.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

bool counters_is_library(const char *path)
{
    static const char name[] = "libthpfix.so";
    const char *slash = strrchr(path, '/');
    const char *file = slash != NULL ? slash + 1 : path;
    size_t length = sizeof(name) - 1;
    /* "libthpfix.so", ".0", " (deleted)" */
    return strncmp(file, name, length) == 0 &&
           (file[length] == '\0' || file[length] == '.' || file[length] == ' ');
}

static int read_counters(pid_t tid, struct counters_found *found)
{
    struct {
        uint64_t magic;
        uint32_t version, size_bytes;
    } head;
    _Static_assert(sizeof(head) == offsetof(struct counters, settings), "the start of counters");
    memset(&found->counters, 0, sizeof(found->counters));
    int result = process_memory_read(tid, found->address, &head, sizeof(head));
    if (result != 0) {
        return result;
    }
    if (head.magic != COUNTERS_MAGIC || head.size_bytes < sizeof(head)) {
        return -EPROTO;
    }
    found->size_bytes = head.size_bytes;
    found->counters.version = head.version;
    if (head.version != COUNTERS_VERSION) {
        return -EPROTONOSUPPORT;
    }
    size_t size = sizeof(found->counters);
    size = head.size_bytes < size ? head.size_bytes : size;
    return process_memory_read(tid, found->address, &found->counters, size);
}

int counters_find(pid_t tid, const struct remote_library *library, struct counters_found *ret_found)
{
    struct remote_symbols symbols;
    struct counters_found found = {0};
    int result = remote_symbols_open(tid, library, &symbols);
    if (result == 0) {
        result = remote_symbols_find(&symbols, COUNTERS_SYMBOL, &found.address);
    }
    if (result == 0) {
        result = read_counters(tid, &found);
    }
    if (result == 0 || result == -EPROTONOSUPPORT) {
        *ret_found = found;
    }
    return result;
}

int counters_again(pid_t tid, struct counters_found *found)
{
    return read_counters(tid, found);
}

bool counters_has(const struct counters_found *found, size_t offset)
{
    return offset + sizeof(uint64_t) <= found->size_bytes;
}

const char *counters_setting_word(size_t index, uint64_t value)
{
    static const char *const mode[] = {"auto", "on", "off"};
    static const char *const gate[] = {"auto", "off", "jvm", "all"};
    static const char *const heap[] = {"off", "now", "background"};
    size_t at = index * sizeof(uint64_t);
    if (at == offsetof(struct counters_settings, config_mode) && value < 3) {
        return mode[value];
    }
    if (at == offsetof(struct counters_settings, config_gate) && value < 4) {
        return gate[value];
    }
    if (at == offsetof(struct counters_settings, config_pretouch_heap) && value < 3) {
        return heap[value];
    }
    return NULL;
}
