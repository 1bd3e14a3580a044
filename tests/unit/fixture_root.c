#include "tests/unit/fixture_root.h"
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

int fixture_root_open(const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/%s", THPFIX_FIXTURE_ROOTS, name);
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    cr_assert(fd >= 0, "%s: %m", path);
    return fd;
}

char *fixture_root_text(const char *name, const char *path)
{
    int root = fixture_root_open(name);
    int fd = openat(root, path, O_RDONLY | O_CLOEXEC);
    cr_assert(fd >= 0, "%s/%s: %m", name, path);
    struct stat status;
    cr_assert(fstat(fd, &status) == 0);
    char *text = calloc(1, (size_t)status.st_size + 1);
    cr_assert(text != NULL);
    cr_assert(read(fd, text, (size_t)status.st_size) == status.st_size, "%s/%s: %m", name, path);
    close(fd);
    close(root);
    return text;
}

int fixture_root_make(char ret_path[FIXTURE_PATH_BYTES])
{
    const char *parent = getenv("TMPDIR");
    snprintf(ret_path, FIXTURE_PATH_BYTES, "%s/thpfix-unit-XXXXXX",
             parent != NULL && parent[0] == '/' ? parent : "/tmp");
    cr_assert(mkdtemp(ret_path) != NULL, "%s: %m", ret_path);
    int fd = open(ret_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    cr_assert(fd >= 0, "%s: %m", ret_path);
    return fd;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status;
    (void)kind;
    (void)place;
    return remove(path);
}

void fixture_root_remove(const char *path)
{
    cr_assert(nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS) == 0, "%s: %m", path);
}

void fixture_root_write(int root, const char *path, const char *text)
{
    char part[PATH_MAX];
    for (const char *slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof(part), "%.*s", (int)(slash - path), path);
        cr_assert(mkdirat(root, part, 0755) == 0 || errno == EEXIST, "%s: %m", part);
    }
    int fd = openat(root, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    cr_assert(fd >= 0, "%s: %m", path);
    cr_assert(write(fd, text, strlen(text)) == (ssize_t)strlen(text), "%s: %m", path);
    close(fd);
}

void fixture_in_child(void (*check)(void *context), void *context)
{
    pid_t pid = fork();
    cr_assert(pid >= 0, "fork: %m");
    if (pid == 0) {
        check(context);
        _exit(EXIT_SUCCESS);
    }
    int status;
    cr_assert(waitpid(pid, &status, 0) == pid, "waitpid: %m");
    cr_assert(WIFEXITED(status), "the child was ended by signal %d", WTERMSIG(status));
    cr_assert(WEXITSTATUS(status) == EXIT_SUCCESS, "the child failed; its reason stands above");
}
