#include "shim/cli/elf_file.h"
#include "shim/cli/library_path.h"
#include "shim/cli/program.h"
#include "shim/cli/sanitizer.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int parse(const char *text, char *ret_interpreter, char *ret_argument)
{
    strcpy(ret_interpreter, "untouched");
    strcpy(ret_argument, "untouched");
    return program_parse_script(text, strlen(text), ret_interpreter, 300, ret_argument, 300);
}

Test(program, script_lines)
{
    static const struct {
        const char *text, *interpreter, *argument;
    } scripts[] = {
        {"#!/bin/sh\necho\n", "/bin/sh", ""},
        {"#!/bin/sh", "/bin/sh", ""},
        {"#! \t/bin/sh \t\n", "/bin/sh", ""},
        {"#!/usr/bin/env python3\n", "/usr/bin/env", "python3"},
        {"#!/usr/bin/env -S python3 -u\n", "/usr/bin/env", "-S python3 -u"},
        {"#!/bin/sh  -e  -u  \n", "/bin/sh", "-e  -u"},
        {"#!relative\n", "relative", ""},
    };
    char interpreter[300], argument[300];
    for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
        cr_expect_eq(parse(scripts[i].text, interpreter, argument), 1, "%s", scripts[i].text);
        cr_expect_str_eq(interpreter, scripts[i].interpreter);
        cr_expect_str_eq(argument, scripts[i].argument);
    }
}

Test(program, what_is_no_script)
{
    static const char *const none[] = {"", "#", "# !/bin/sh\n", "\177ELF", "echo\n#!/bin/sh\n"};
    char interpreter[300], argument[300];
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        cr_expect_eq(parse(none[i], interpreter, argument), 0, "%s", none[i]);
    }
    cr_expect_eq(parse("#!\n/bin/sh\n", interpreter, argument), -ENOEXEC);
    cr_expect_eq(parse("#!   ", interpreter, argument), -ENOEXEC);
    cr_expect_str_eq(interpreter, "untouched");
}

Test(program, a_line_that_the_kernel_cuts)
{
    char text[400], interpreter[300], argument[300];
    memset(text, 'x', sizeof(text));
    memcpy(text, "#!/", 3);
    text[sizeof(text) - 1] = '\0';
    cr_expect_eq(parse(text, interpreter, argument), -ENOEXEC, "the interpreter may go on");
    memcpy(text, "#!/bin/sh ", 10);
    cr_expect_eq(parse(text, interpreter, argument), 1);
    cr_expect_str_eq(interpreter, "/bin/sh");
    cr_expect_eq(strlen(argument), 256 - strlen("#!/bin/sh "), "only the argument is cut");
    cr_expect_eq(program_parse_script(text, strlen(text), interpreter, 3, argument, 300),
                 -ENAMETOOLONG);
}

Test(program, found_as_execvp_finds_it)
{
    char path[PATH_MAX];
    cr_expect_eq(program_find("sh", "/nowhere:/bin", path, sizeof(path)), 0);
    cr_expect_str_eq(path, "/bin/sh");
    cr_expect_eq(program_find("sh", NULL, path, sizeof(path)), 0);
    cr_expect_eq(program_find("/bin/sh", "/nowhere", path, sizeof(path)), 0);
    cr_expect_eq(program_find("sh", "", path, sizeof(path)), -ENOENT);
    cr_expect_eq(program_find("", "/bin", path, sizeof(path)), -ENOENT);
    cr_expect_eq(program_find("bin", "/", path, sizeof(path)), -EACCES, "a directory");
    cr_expect_eq(program_find("passwd", "/etc", path, sizeof(path)), -EACCES);
    cr_expect_eq(program_find("sh", "/bin", path, 4), -ENAMETOOLONG);
    cr_expect_eq(program_follow("/etc/passwd", "/bin", path, sizeof(path)), 0);
    cr_expect_str_eq(path, "/bin/sh");
}

Test(elf_file, this_program_and_what_is_none)
{
    struct elf_file file;
    cr_assert_eq(elf_file_read("/proc/self/exe", &file), 0);
    cr_expect_eq(file.bits, 8 * sizeof(void *));
    cr_expect(file.dynamic);
    cr_expect_not(file.named);
    cr_expect_neq(strlen(file.loader), 0);
    cr_expect_eq(elf_file_read("/etc/passwd", &file), -ENOEXEC);
    cr_expect_eq(elf_file_read("/dev/null", &file), -ENOEXEC);
    cr_expect_eq(elf_file_read("/", &file), -ENOEXEC);
    cr_expect_eq(elf_file_read("/no/such/file", &file), -ENOENT);
    cr_expect_neq(strlen(file.loader), 0, "untouched");
}

/* A file cut anywhere is refused or read as far as it goes, without reading beyond. */
Test(elf_file, cut_files)
{
    char text[8192], path[] = "/tmp/thpfix-test-XXXXXX";
    FILE *self = fopen("/proc/self/exe", "r");
    cr_assert_not_null(self);
    size_t length = fread(text, 1, sizeof(text), self);
    (void)fclose(self);
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    for (size_t cut = 0; cut < length; cut += cut < 1024 ? 1 : 97) {
        struct elf_file file;
        cr_assert_eq(ftruncate(fd, 0), 0);
        cr_assert_eq(pwrite(fd, text, cut, 0), (ssize_t)cut);
        int result = elf_file_read(path, &file);
        cr_expect(result == 0 || result == -ENOEXEC, "%zu bytes: %d", cut, result);
        (void)elf_file_built_in_sanitizer(path);
    }
    (void)close(fd);
    (void)unlink(path);
}

Test(sanitizer, runtimes)
{
    static const char *const runtimes[] = {
        "libasan.so.8",        "libtsan.so.2",
        "liblsan.so.0",        "libubsan.so.1",
        "libhwasan.so.0",      "libclang_rt.asan-x86_64.so",
        "libclang_rt.tsan.so", "libclang_rt.ubsan_standalone.so",
    };
    static const char *const others[] = {
        "libc.so.6",
        "libasan_helper.so",
        "libclang_rt.builtins.so",
        "libclang_rt.asanx.so",
        "xlibasan.so.8",
        "libclang_rt.",
        "",
    };
    for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++) {
        cr_expect(sanitizer_is_runtime(runtimes[i]), "%s", runtimes[i]);
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        cr_expect_not(sanitizer_is_runtime(others[i]), "%s", others[i]);
    }
    cr_expect_str_eq(sanitizer_of_symbol("__asan_init"), "address");
    cr_expect_null(sanitizer_of_symbol("main"));
}

Test(sanitizer, lines_of_the_loader)
{
    static const char *const lines[] = {
        "\tlibasan.so.8 => /lib/x/libasan.so.8 (0x00007f27ee400000)\n",
        "\t/lib/x/libasan.so.8 (0x00007f27ee400000)\n",
        "\tlibasan.so.8 => /a b/libasan.so.8 (0x1)\n",
    };
    static const char *const others[] = {
        "\tlibasan.so.8 => not found\n",
        "\tlibasan.so.8 => (0x00007f27ee400000)\n",
        "\tlibc.so.6 => /lib/libc.so.6 (0x00007f27ee21e000)\n",
        "\tlibasan.so.80 => /lib/libasan.so.80 (0x1)\n",
        "\t/lib/xlibasan.so.8 (0x1)\n",
        "\tlinux-vdso.so.1 (0x00007f27eeb34000)\n",
        "",
        " (0x1)",
    };
    size_t start = 77, length = 77;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        cr_expect_eq(sanitizer_path_in_line(others[i], "libasan.so.8", &start, &length), -ENOENT,
                     "%s", others[i]);
    }
    cr_expect(start == 77 && length == 77);
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        cr_assert_eq(sanitizer_path_in_line(lines[i], "libasan.so.8", &start, &length), 0, "%s",
                     lines[i]);
        cr_expect_eq(lines[i][start], '/');
        cr_expect_eq(strncmp(lines[i] + start + length, " (0x", 4), 0);
    }
}

static void expect_joined(const char *directory, const char *relative, const char *wanted)
{
    char path[PATH_MAX] = "";
    cr_expect_eq(library_path_join(directory, relative, path, sizeof(path)), 0);
    cr_expect_str_eq(path, wanted);
}

Test(library_path, joined)
{
    expect_joined("/usr/bin", "../lib/x.so", "/usr/lib/x.so");
    expect_joined("/a/b/c", "../../x.so", "/a/x.so");
    expect_joined("/a", "x.so", "/a/x.so");
    expect_joined("/a", "../../../x.so", "/x.so");
    expect_joined("", "../x.so", "/x.so");
    expect_joined("/", "x.so", "/x.so");
    char path[8] = "as ever";
    cr_expect_eq(library_path_join("/usr/bin", "x.so", path, sizeof(path)), -ENAMETOOLONG);
    cr_expect_str_eq(path, "as ever");
}

Test(library_path, made_absolute)
{
    char path[PATH_MAX];
    cr_assert_eq(chdir("/usr"), 0);
    cr_expect_eq(library_path_absolute("x.so", path, sizeof(path)), 0);
    cr_expect_str_eq(path, "/usr/x.so");
    cr_expect_eq(library_path_absolute("./lib/x.so", path, sizeof(path)), 0);
    cr_expect_str_eq(path, "/usr/lib/x.so");
    cr_expect_eq(library_path_absolute("../x.so", path, sizeof(path)), 0);
    cr_expect_str_eq(path, "/x.so");
    cr_expect_eq(library_path_absolute("/opt/x.so", path, sizeof(path)), 0);
    cr_expect_str_eq(path, "/opt/x.so");
}
