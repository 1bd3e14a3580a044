#include "shim/environment.h"

#include "shim/log.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What the kernel set up at exec: no variable of a set-user-ID program's caller counts. */
static const char *from_environment(const char *name, void *secure)
{
    return *(bool *)secure ? NULL : getenv(name);
}

static void complain(const struct config_variable *variable, const char *text, void *secure)
{
    (void)secure;
    struct log_line line;
    log_begin(&line);
    log_text(&line, variable->name);
    log_text(&line, "='");
    log_text_cut(&line, text);
    log_text(&line, "' is not ");
    log_text(&line, variable->values);
    log_text(&line, ": using ");
    log_text(&line, variable->default_value[0] != '\0' ? variable->default_value : "none");
    log_complain(&line);
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* A program that starts itself again does so by a link called exe, which tells nothing. */
const char *environment_program(void)
{
    static char target[256]; /* while the library starts, once */
    const char *path = (const char *)(uintptr_t)getauxval(AT_EXECFN);
    if (path == NULL) {
        return "";
    }
    if (strcmp(file_name(path), "exe") == 0) {
        long length = syscall(SYS_readlinkat, AT_FDCWD, path, target, sizeof(target) - 1);
        if (length > 0) {
            target[length] = '\0';
            path = target;
        }
    }
    return file_name(path);
}

void environment_read_config(struct config *ret_config)
{
    bool secure = getauxval(AT_SECURE) != 0;
    config_read(from_environment, complain, &secure, ret_config);
}
