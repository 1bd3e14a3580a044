#include "shim/cli/launch.h"
#include "shim/cli/library_path.h"
#include "shim/cli/message.h"
#include "shim/cli/preload_list.h"
#include "shim/cli/program.h"
#include "shim/cli/sanitizer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int find_library(const char *given, char *ret_path, size_t size)
{
    if (given == NULL) {
        int result = library_path_find(ret_path, size);
        if (result == -ENOENT) {
            message("run", "cannot find " LIBRARY_FILE_NAME " beside this command: install it, or "
                           "name it with --library PATH");
        } else if (result != 0) {
            message("run",
                    "cannot tell where this command is (/proc/self/exe: %s): name the "
                    "library with --library PATH",
                    result == -ESRCH ? "not there" : strerror(-result));
        }
        return result;
    }
    /* ld.so replaces $LIB, $PLATFORM and $ORIGIN in what is preloaded. */
    if (strchr(given, '$') != NULL && strlen(given) < size) {
        memcpy(ret_path, given, strlen(given) + 1);
        return 0;
    }
    int result = library_path_absolute(given, ret_path, size);
    if (result == 0 && access(ret_path, R_OK) != 0) {
        result = -errno;
    }
    if (result != 0) {
        message("run", "--library: cannot read '%s': %s", given, strerror(-result));
    }
    return result;
}

static int check_library(struct launch *launch)
{
    if (!preload_list_can_hold(launch->library)) {
        message("run",
                "ld.so cannot preload '%s': it splits paths at colons and blanks; copy the "
                "library elsewhere and name it with --library PATH",
                launch->library);
        return -EINVAL;
    }
    if (strchr(launch->library, '$') != NULL) {
        return 0;
    }
    int result = elf_file_read(launch->library, &launch->library_file);
    if (result == 0 && !(launch->library_file.shared && launch->library_file.dynamic)) {
        result = -ENOEXEC;
    }
    if (result == -ENOEXEC) {
        message("run", "'%s' is not a shared library", launch->library);
    } else if (result != 0) {
        message("run", "cannot read '%s': %s", launch->library, strerror(-result));
    }
    launch->library_read = result == 0;
    return result;
}

int launch_refused(const struct launch *launch, int error)
{
    const char *name = launch->options->command[0];
    if (error == ENOENT && launch->program[0] != '\0') {
        /* The file is there: what is missing is what it asks for. */
        bool loader = launch->image_error == 0 && launch->image_file.loader[0] != '\0';
        message("run", "cannot run '%s': its interpreter '%s' does not exist", name,
                loader ? launch->image_file.loader : launch->image);
        return STATUS_NOT_FOUND;
    }
    if (error == ENOENT) {
        message("run", "cannot run '%s': %s", name,
                strchr(name, '/') != NULL ? "no such file" : "no such command in PATH");
        return STATUS_NOT_FOUND;
    }
    message("run", "cannot run '%s': %s", name, strerror(error));
    return STATUS_NOT_EXECUTABLE;
}

static int find_program(struct launch *launch)
{
    const char *search_path = getenv("PATH");
    int result = program_find(launch->options->command[0], search_path, launch->program,
                              sizeof(launch->program));
    if (result != 0) {
        return launch_refused(launch, -result);
    }
    /* What cannot be looked into is started all the same. */
    launch->image_error =
        program_follow(launch->program, search_path, launch->image, sizeof(launch->image));
    if (launch->image_error == 0) {
        launch->image_error = elf_file_read(launch->image, &launch->image_file);
    }
    return 0;
}

static void find_runtimes(struct launch *launch)
{
    const struct elf_file *image = &launch->image_file;
    if (launch->image_error != 0 || image->loader[0] == '\0') {
        return;
    }
    for (size_t i = 0; i < image->runtime_count; i++) {
        char *path = launch->runtimes[launch->runtime_count++];
        if (sanitizer_resolve(image->loader, launch->image, image->runtimes[i], path, PATH_MAX) !=
                0 ||
            !preload_list_can_hold(path)) {
            /* ld.so looks for a bare name as it does for the program's own libraries. */
            memcpy(path, image->runtimes[i], sizeof(image->runtimes[i]));
        }
    }
}

int launch_prepare(const struct run_options *options, struct launch *ret_launch)
{
    *ret_launch = (struct launch){.options = options};
    if (find_library(options->library, ret_launch->library, sizeof(ret_launch->library)) != 0 ||
        check_library(ret_launch) != 0) {
        return STATUS_RUN_FAILED;
    }
    int status = find_program(ret_launch);
    if (status != 0) {
        return status;
    }
    find_runtimes(ret_launch);
    const char *runtimes[ELF_FILE_RUNTIMES];
    for (size_t i = 0; i < ret_launch->runtime_count; i++) {
        runtimes[i] = ret_launch->runtimes[i];
    }
    if (preload_list_merge(getenv("LD_PRELOAD"), ret_launch->library, runtimes,
                           ret_launch->runtime_count, &ret_launch->preload) != 0) {
        message("run", "out of memory");
        return STATUS_RUN_FAILED;
    }
    return 0;
}
