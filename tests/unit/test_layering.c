/* The layers of the source, and that the rules by which they are checked can fail. */
#include "tests/unit/fixture_root.h"
#include "tests/unit/layer_scan.h"
#include "tests/unit/source_text.h"
#include <criterion/criterion.h>
#include <string.h>

static struct layer_report report;

static void print_faults(void)
{
    for (size_t i = 0; i < report.fault_count; i++) {
        fprintf(stderr, "%s\n", report.faults[i]);
    }
}

Test(layering, the_source_keeps_to_its_layers)
{
    layer_scan(THPFIX_SOURCE_DIR, &report);
    print_faults();
    cr_assert_eq(report.fault_count, 0, "%zu faults, see above", report.fault_count);
    /* Guards against a scan that looks at nothing. */
    cr_assert_gt(report.file_count, 30);
    cr_assert_gt(report.include_count, 60);
}

struct file {
    const char *path, *text;
};

static void scan_made_up(const struct file *files, size_t count)
{
    char directory[FIXTURE_PATH_BYTES];
    int root = fixture_root_make(directory);
    fixture_root_write(root, "detect/units.h", "");
    fixture_root_write(root, "shim/plan.h", "");
    for (size_t i = 0; i < count; i++) {
        fixture_root_write(root, files[i].path, files[i].text);
    }
    layer_scan(directory, &report);
    print_faults();
    close(root);
    fixture_root_remove(directory);
}

static void assert_fault(const char *text)
{
    for (size_t i = 0; i < report.fault_count; i++) {
        if (strstr(report.faults[i], text) != NULL) {
            return;
        }
    }
    cr_assert_fail("not found: %s", text);
}

Test(layering, a_tree_without_faults_has_none)
{
    static const struct file files[] = {
        {"detect/verdict.h", "#include \"detect/thp_state.h\"\n"},
        {"detect/verdict.c", "#include \"detect/verdict.h\"\n#include <stdio.h>\n"},
        {"detect/root_read.c", "int fd = openat(root, \"/proc/self/smaps\", 0);\n"},
        {"detect/host.c", "#include \"detect/root_read.h\"\n"
                          "int fd = root_open(ROOT_HOST, \"/proc/self/smaps\");\n"
                          "/* open(\"/proc/self/maps\") would be wrong */\n"
                          "// fopen(\"/sys/x\")\n"},
        {"shim/log.c", "long fd = syscall(SYS_openat, AT_FDCWD, path, 0);\n"},
        {"shim/plan.c", "// #include \"shim/runtime.h\"\n/*\n#include \"shim/create.h\"\n*/\n"},
        {"shim/real.c", "void *handle = loader->open(\"/proc/self/exe\", 0);\n"},
        {"shim/cli/run.c", "#include \"shim/cli/other.h\"\n#include \"shim/config.h\"\n"
                           "#include \"detect/host.h\"\n"},
        {"shim/cli/other.h", "\n"},
        {"shim/notes.txt", "#include \"shim/cli/other.h\"\n"},
    };
    scan_made_up(files, sizeof(files) / sizeof(files[0]));
    cr_assert_eq(report.fault_count, 0);
    cr_assert_eq(report.file_count, sizeof(files) / sizeof(files[0]) - 1 + 2);
}

Test(layering, every_rule_can_fail)
{
    static const struct file files[] = {
        {"detect/verdict.c", "#include \"shim/plan.h\"\n"},
        {"detect/units.c", "  #  include \"detect/host.h\" /* from above */\n"},
        {"detect/thp_parse.h", "#include \"detect/verdict.h\"\n"},
        {"detect/host.c", "FILE *file = fopen(\"/proc/self/smaps\", \"re\");\n"},
        {"shim/map_budget.c", "#define MAPS \"/proc/self/maps\"\n\nint fd = open (MAPS, 0);\n"},
        {"shim/inherit.c", "long fd = syscall(SYS_openat, -1, \"/sys\", 0);\n"},
        {"shim/plan.c", "#include \"shim/runtime.h\"\n"},
        {"shim/config.c", "#include \"shim/cli/run.h\"\n"},
        {"shim/log.c", "#include \"log.h\"\n"},
        {"shim/brand_new.c", "\n"},
        {"shim/cli/one.h", "#include \"shim/cli/two.h\"\n"},
        {"shim/cli/two.c", "#include \"shim/cli/three.h\"\n"},
        {"shim/cli/three.c", "#include \"shim/cli/one.h\"\n"},
    };
    scan_made_up(files, sizeof(files) / sizeof(files[0]));
    assert_fault("detect/verdict.c: includes shim/plan.h: detect/ knows nothing");
    assert_fault("detect/units.c: includes detect/host.h: not of a lower layer");
    assert_fault("detect/thp_parse.h: includes detect/verdict.h: not of a lower layer");
    assert_fault("detect/host.c: opens /sys or /proc");
    assert_fault("shim/map_budget.c: opens /sys or /proc");
    assert_fault("shim/inherit.c: opens /sys or /proc");
    assert_fault("shim/plan.c: includes shim/runtime.h: not of a lower layer");
    assert_fault("shim/config.c: includes shim/cli/run.h: shim/cli/ is the top");
    assert_fault("shim/log.c: includes log.h: not named from the top");
    assert_fault("shim/brand_new.c: has no place");
    assert_fault("shim/cli/one and shim/cli/two: each includes the other");
    assert_fault("shim/cli/two and shim/cli/three: each includes the other");
    assert_fault("shim/cli/three and shim/cli/one: each includes the other");
    cr_assert_eq(report.fault_count, sizeof(files) / sizeof(files[0]), "and no others");
}

Test(layering, an_open_is_told_from_what_only_looks_like_one)
{
    cr_assert(source_calls_open("open(path, 0)"));
    cr_assert(source_calls_open("x = opendir (path)"));
    cr_assert(source_calls_open("syscall(SYS_openat2, 1)"));
    cr_assert(!source_calls_open("root_open(path)"));
    cr_assert(!source_calls_open("reopen(path), open_all(path), opened"));
    cr_assert(!source_calls_open("loader->open(path) + table.open(path)"));
    cr_assert(!source_calls_open("bool open = true;"));
    cr_assert(source_names_kernel_path("\"/proc/self/maps\""));
    cr_assert(source_names_kernel_path("\"/sys\""));
    cr_assert(!source_names_kernel_path("\"/system\" \"/processes\" /proc/self"));
}
