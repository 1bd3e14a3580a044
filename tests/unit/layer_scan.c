#include "tests/unit/layer_scan.h"
#include "tests/unit/source_text.h"
#include <criterion/criterion.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>

#define MODULE_BYTES 64
#define EDGES_MOST   2048
#define PLACES_MOST  256

/* A line of layers.txt, name by name. */
struct place {
    char file[MODULE_BYTES], module[MODULE_BYTES];
    int rank;
};

static struct place places[PLACES_MOST];
static size_t place_count;

struct edge {
    char from[MODULE_BYTES], to[MODULE_BYTES];
    bool visited;
};

static struct edge edges[EDGES_MOST];
static size_t edge_count;
static struct layer_report *report;
static size_t tree_length;

static void fault(const char *file, const char *does, const char *object, const char *but)
{
    cr_assert_lt(report->fault_count, sizeof(report->faults) / sizeof(report->faults[0]));
    snprintf(report->faults[report->fault_count++], sizeof(report->faults[0]), "%s%s%s: %s", file,
             does, object, but);
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static void add_places(char *names, int rank)
{
    char *rest_of_line = names;
    for (char *name; (name = strsep(&rest_of_line, " ")) != NULL;) {
        char *rest = name;
        for (char *file; (file = strsep(&rest, "+")) != NULL;) {
            cr_assert_lt(place_count, PLACES_MOST);
            struct place *place = &places[place_count++];
            snprintf(place->file, MODULE_BYTES, "%s", file);
            snprintf(place->module, MODULE_BYTES, "%s", name); /* cut behind the first */
            place->rank = rank;
        }
    }
}

static void read_places(void)
{
    char line[512];
    FILE *file = fopen(THPFIX_LAYERS, "re");
    cr_assert(file != NULL, "%s: %m", THPFIX_LAYERS);
    place_count = 0;
    for (int rank = 0; fgets(line, sizeof(line), file) != NULL; rank++) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '\0' && line[0] != '#') {
            add_places(line, rank);
        }
    }
    fclose(file);
}

static const struct place *place_of(const char *name)
{
    for (size_t i = 0; i < place_count; i++) {
        if (strcmp(places[i].file, name) == 0) {
            return &places[i];
        }
    }
    return NULL;
}

/* "shim/plan.c" to "shim/plan" */
static void module_of(const char *file, char ret_module[MODULE_BYTES])
{
    snprintf(ret_module, MODULE_BYTES, "%.*s", (int)strcspn(file, "."), file);
    const struct place *place = place_of(ret_module);
    if (place != NULL) {
        memcpy(ret_module, place->module, MODULE_BYTES);
    }
}

static int rank_of(const char *module)
{
    const struct place *place = place_of(module);
    return place != NULL ? place->rank : -1;
}

static void check_include(const char *file, const char *header)
{
    report->include_count++;
    if (!starts_with(header, "detect/") && !starts_with(header, "shim/")) {
        fault(file, ": includes ", header, "not named from the top of the tree");
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
        fault(file, ": includes ", header, "detect/ knows nothing of shim/");
    } else if (starts_with(header, "shim/cli/") && !starts_with(file, "shim/cli/")) {
        fault(file, ": includes ", header, "shim/cli/ is the top");
    } else if (!starts_with(file, "shim/cli/") && rank_of(from) >= 0 &&
               rank_of(to) >= rank_of(from)) {
        fault(file, ": includes ", header, "not of a lower layer");
    }
}

static void check_file(const char *file, char *code)
{
    char module[MODULE_BYTES];
    module_of(file, module);
    report->file_count++;
    if (!starts_with(file, "shim/cli/") && rank_of(module) < 0) {
        fault(file, "", "", "has no place in layers.txt");
    }
    if (strcmp(file, "detect/root_read.c") != 0 && source_names_kernel_path(code) &&
        source_calls_open(code)) {
        fault(file, ": opens /sys or /proc", "", "only detect/root_read.c does");
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
            fault(edges[i].from, " and ", edges[i].to, "each includes the other, by some way");
        }
    }
}

void layer_scan(const char *tree, struct layer_report *ret_report)
{
    memset(ret_report, 0, sizeof(*ret_report));
    report = ret_report;
    edge_count = 0;
    tree_length = strlen(tree);
    read_places();
    static const char *const directories[] = {"detect", "shim"};
    for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++) {
        char path[512];
        snprintf(path, sizeof(path), "%s/%s", tree, directories[i]);
        cr_assert(nftw(path, visit, 8, FTW_PHYS) == 0, "%s: %m", path);
    }
    check_circles();
}
