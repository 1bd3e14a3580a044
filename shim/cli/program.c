#include "shim/cli/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCRIPT_HEAD_BYTES 256 /* the kernel reads no further: BINPRM_BUF_SIZE */
#define SCRIPT_DEPTH_MAX  5   /* the kernel's limit on interpreters of interpreters */

static int copy(const char *text, size_t length, char *ret_copy, size_t size)
{
    if (length >= size) {
        return -ENAMETOOLONG;
    }
    memcpy(ret_copy, text, length);
    ret_copy[length] = '\0';
    return 0;
}

static int check_executable(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        return -errno;
    }
    return S_ISREG(status.st_mode) && access(path, X_OK) == 0 ? 0 : -EACCES;
}

int program_find(const char *name, const char *search_path, char *ret_path, size_t size)
{
    if (name[0] == '\0') {
        return -ENOENT;
    }
    if (strchr(name, '/') != NULL) {
        int result = check_executable(name);
        return result != 0 ? result : copy(name, strlen(name), ret_path, size);
    }
    const char *rest = search_path != NULL ? search_path : "/bin:/usr/bin";
    int failure = -ENOENT;
    while (true) {
        size_t length = strcspn(rest, ":");
        char path[PATH_MAX];
        /* An empty element is the working directory. */
        int written = snprintf(path, sizeof(path), "%.*s%s%s", (int)length, rest,
                               length > 0 ? "/" : "./", name);
        if (written > 0 && (size_t)written < sizeof(path)) {
            int result = check_executable(path);
            if (result == 0) {
                return copy(path, (size_t)written, ret_path, size);
            }
            /* execvp too goes on after a file that it may not execute. */
            failure = result == -EACCES ? -EACCES : failure;
        }
        if (rest[length] == '\0') {
            return failure;
        }
        rest += length + 1;
    }
}

int program_parse_script(const char *text, size_t length, char *ret_interpreter,
                         size_t interpreter_size, char *ret_argument, size_t argument_size)
{
    if (length < 2 || text[0] != '#' || text[1] != '!') {
        return 0;
    }
    char line[SCRIPT_HEAD_BYTES + 1];
    size_t line_length = length < SCRIPT_HEAD_BYTES ? length : SCRIPT_HEAD_BYTES;
    memcpy(line, text, line_length);
    line[line_length] = '\0';
    size_t end = strcspn(line, "\n");
    bool cut = line[end] == '\0' && line_length == SCRIPT_HEAD_BYTES;
    while (end > 2 && (line[end - 1] == ' ' || line[end - 1] == '\t')) {
        end--;
    }
    line[end] = '\0';

    const char *interpreter = line + 2 + strspn(line + 2, " \t");
    size_t interpreter_length = strcspn(interpreter, " \t");
    const char *argument = interpreter + interpreter_length;
    if (interpreter_length == 0 || (cut && *argument == '\0')) {
        return -ENOEXEC;
    }
    argument += strspn(argument, " \t");
    int result = copy(interpreter, interpreter_length, ret_interpreter, interpreter_size);
    if (result == 0) {
        result = copy(argument, strlen(argument), ret_argument, argument_size);
    }
    return result != 0 ? result : 1;
}

/* "#!/usr/bin/env python3", "#!/usr/bin/env -S python3 -u": the program that counts is
 * python3. Anything more elaborate is left at env. */
static bool find_env_program(const char *interpreter, const char *argument, const char *search_path,
                             char *ret_path, size_t size)
{
    const char *name = strrchr(interpreter, '/');
    if (strcmp(name != NULL ? name + 1 : interpreter, "env") != 0) {
        return false;
    }
    if (strncmp(argument, "-S", 2) == 0) {
        argument += 2;
        argument += strspn(argument, " \t");
    }
    char program[SCRIPT_HEAD_BYTES + 1];
    size_t length = strcspn(argument, " \t");
    if (argument[0] == '-' || memchr(argument, '=', length) != NULL ||
        copy(argument, length, program, sizeof(program)) != 0) {
        return false;
    }
    return program_find(program, search_path, ret_path, size) == 0;
}

static ssize_t read_head(const char *path, char *buffer, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return -errno;
    }
    ssize_t length = read(fd, buffer, size);
    int error = errno;
    (void)close(fd);
    return length < 0 ? -error : length;
}

int program_follow(const char *path, const char *search_path, char *ret_path, size_t size)
{
    int result = copy(path, strlen(path), ret_path, size);
    for (int depth = 0; result == 0 && depth < SCRIPT_DEPTH_MAX; depth++) {
        char head[SCRIPT_HEAD_BYTES] = {0};
        ssize_t length = read_head(ret_path, head, sizeof(head));
        if (length < 0) {
            return (int)length;
        }
        if (length >= 4 && memcmp(head, "\177ELF", 4) == 0) {
            return 0;
        }
        char interpreter[SCRIPT_HEAD_BYTES + 1], argument[SCRIPT_HEAD_BYTES + 1];
        int script = program_parse_script(head, (size_t)length, interpreter, sizeof(interpreter),
                                          argument, sizeof(argument));
        if (script < 0) {
            return script;
        }
        if (script == 0) {
            result = copy("/bin/sh", strlen("/bin/sh"), ret_path, size);
        } else if (!find_env_program(interpreter, argument, search_path, ret_path, size)) {
            result = copy(interpreter, strlen(interpreter), ret_path, size);
        }
    }
    return result != 0 ? result : -ELOOP;
}
