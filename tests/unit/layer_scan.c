#include "tests/unit/layer_scan.h"
#include "tests/unit/source_text.h"
#include <criterion/criterion.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Where a module stands. A new file of detect/ or shim/ gets its line here: that is the
 * moment to think about what it may rest on. */
static const struct {
    int rank;
    const char *module;
} ranks[] = {
    {0, "detect/units"},                                  /* arithmetic */
    {0, "detect/thp_state"},                              /* values */
    {0, "detect/counters_abi"},  {1, "detect/thp_parse"}, /* text to values */
    {1, "detect/smaps_parse"},   {1, "detect/verdict"},
    {1, "detect/root_read"}, /* the door to /sys and /proc */
    {2, "detect/host"},          {3, "detect/host_details"},

    {10, "shim/config"}, /* decide, and know nothing of the process */
    {10, "shim/plan"},           {10, "shim/growth"},
    {10, "shim/inherit"},        {10, "shim/glibc_floor"},
    {10, "shim/counters"},       {11, "shim/log"}, /* touch the process, each in one way */
    {11, "shim/real"},           {11, "shim/jvm_real"},
    {11, "shim/gate"},           {11, "shim/map_budget"},
    {11, "shim/stack_bounds"},   {12, "shim/default_attr"},
    {12, "shim/environment"},
    {13, "shim/runtime"}, /* the one mutable global */
    {14, "shim/gated_create"},   {14, "shim/stack_clean"}, /* act as it says */
    {15, "shim/stack_start"},    {16, "shim/create"}, /* the way of a thread start */
    {17, "shim/export_pthread"}, {17, "shim/export_jvm"},
    {17, "shim/lifecycle"},
};

#define MODULE_BYTES 64
#define EDGES_MOST   1024

struct edge {
    char from[MODULE_BYTES], to[MODULE_BYTES];
    bool visited;
};

static struct edge edges[EDGES_MOST];
static size_t edge_count;
static struct layer_report *report;
static size_t tree_length;

__attribute__((format(printf, 1, 2))) static void fault(const char *format, ...)
{
    cr_assert_lt(report->fault_count, sizeof(report->faults) / sizeof(report->faults[0]));
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report->faults[report->fault_count++], sizeof(report->faults[0]), format, arguments);
    va_end(arguments);
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* "shim/plan.c" to "shim/plan" */
static void module_of(const char *file, char ret_module[MODULE_BYTES])
{
    snprintf(ret_module, MODULE_BYTES, "%.*s", (int)strcspn(file, "."), file);
}

static int rank_of(const char *module)
{
    for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++) {
        if (strcmp(ranks[i].module, module) == 0) {
            return ranks[i].rank;
        }
    }
    return -1;
}

static void check_include(const char *file, const char *header)
{
    report->include_count++;
    if (!starts_with(header, "detect/") && !starts_with(header, "shim/")) {
        fault("%s: includes %s: not named from the top of the tree", file, header);
        return;
    }
    char from[MODULE_BYTES];
    char to[MODULE_BYTES];
    module_of(file, from);
    module_of(header, to);
    if (strcmp(from, to) == 0) {
        return;
    }
    cr_assert_lt(edge_count, EDGES_MOST);
    struct edge *edge = &edges[edge_count++];
    memset(edge, 0, sizeof(*edge));
    memcpy(edge->from, from, sizeof(from));
    memcpy(edge->to, to, sizeof(to));

    if (starts_with(file, "detect/") && starts_with(header, "shim/")) {
        fault("%s: includes %s: detect/ knows nothing of shim/", file, header);
    } else if (starts_with(header, "shim/cli/") && !starts_with(file, "shim/cli/")) {
        fault("%s: includes %s: shim/cli/ is the top", file, header);
    } else if (!starts_with(file, "shim/cli/") && rank_of(from) >= 0 &&
               rank_of(to) >= rank_of(from)) {
        fault("%s: includes %s: not of a lower rank", file, header);
    }
}

static void check_file(const char *file, char *code)
{
    char module[MODULE_BYTES];
    module_of(file, module);
    report->file_count++;
    if (!starts_with(file, "shim/cli/") && rank_of(module) < 0) {
        fault("%s: has no rank", file);
    }
    if (strcmp(file, "detect/root_read.c") != 0 && source_names_kernel_path(code) &&
        source_calls_open(code)) {
        fault("%s: opens /sys or /proc by itself: only detect/root_read.c does", file);
    }
    char *rest = code;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        char header[MODULE_BYTES];
        if (sscanf(line, " # include \"%63[^\"]", header) == 1) {
            check_include(file, header);
        }
    }
}

static int visit(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status;
    (void)place;
    const char *suffix = strrchr(path, '.');
    if (kind == FTW_F && suffix != NULL &&
        (strcmp(suffix, ".c") == 0 || strcmp(suffix, ".h") == 0)) {
        char *code = source_read_without_comments(path);
        check_file(path + tree_length + 1, code);
        free(code);
    }
    return 0;
}

/* Does some way lead from module back to origin? Each edge is gone once at most. */
static bool leads_to(const char *module, const char *origin)
{
    for (size_t i = 0; i < edge_count; i++) {
        if (edges[i].visited || strcmp(edges[i].from, module) != 0) {
            continue;
        }
        edges[i].visited = true;
        if (strcmp(edges[i].to, origin) == 0 || leads_to(edges[i].to, origin)) {
            return true;
        }
    }
    return false;
}

static void check_circles(void)
{
    for (size_t i = 0; i < edge_count; i++) {
        for (size_t j = 0; j < edge_count; j++) {
            edges[j].visited = false;
        }
        if (leads_to(edges[i].to, edges[i].from)) {
            fault("%s and %s: each includes the other, by some way", edges[i].from, edges[i].to);
        }
    }
}

void layer_scan(const char *tree, struct layer_report *ret_report)
{
    memset(ret_report, 0, sizeof(*ret_report));
    report = ret_report;
    edge_count = 0;
    tree_length = strlen(tree);
    static const char *const directories[] = {"detect", "shim"};
    for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++) {
        char path[512];
        snprintf(path, sizeof(path), "%s/%s", tree, directories[i]);
        cr_assert(nftw(path, visit, 8, FTW_PHYS) == 0, "%s: %m", path);
    }
    check_circles();
}
