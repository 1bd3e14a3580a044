#include "shim/cli/demangle.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* __cxa_demangle of the C++ ABI. Not linked: a machine without C++ programs needs no C++
 * library for their sake. */
typedef char *demangler(const char *name, char *buffer, size_t *length, int *status);

static demangler *find_demangler(void)
{
    static bool was_tried;
    static demangler *found;
    if (!was_tried) {
        was_tried = true;
        void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
        void *function = library != NULL ? dlsym(library, "__cxa_demangle") : NULL;
        memcpy(&found, &function, sizeof(found)); /* ISO C has no such cast */
    }
    return found;
}

bool demangle(const char *name, char *ret_name, size_t size)
{
    /* Without this, "i" would be a name too: int. */
    demangler *function = strncmp(name, "_Z", 2) == 0 ? find_demangler() : NULL;
    int status = -1;
    char *readable = function != NULL ? function(name, NULL, NULL, &status) : NULL;
    if (readable == NULL) {
        return false;
    }
    (void)snprintf(ret_name, size, "%s", readable);
    free(readable);
    return true;
}
