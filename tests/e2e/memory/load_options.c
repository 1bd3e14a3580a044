#include "load_options.h"
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

static size_t parse_bytes(const char *text)
{
    char *end;
    unsigned long long value = strtoull(text, &end, 10);
    int shift = *end == 'K' ? 10 : *end == 'M' ? 20 : 0;

    if (end == text || end[shift != 0] != '\0') {
        fprintf(stderr, "stackload: %s: not a number, K or M may follow\n", text);
        exit(2);
    }
    return (size_t)value << shift;
}

struct load_options load_options_parse(int argc, char **argv)
{
    static const struct option known[] = {
        {"threads", required_argument, NULL, 't'},
        {"size", required_argument, NULL, 's'},
        {"default-attr", no_argument, NULL, 'd'},
        {"null-attr", no_argument, NULL, '0'},
        {"mixed", no_argument, NULL, 'm'},
        {"guard", required_argument, NULL, 'g'},
        {"touch-kib", required_argument, NULL, 'k'},
        {"settle-ms", required_argument, NULL, 'w'},
        {"wait-collapse", no_argument, NULL, 'c'},
        {"heap-mib", required_argument, NULL, 'h'},
        {"neighbour-kib", required_argument, NULL, 'n'},
        {"map-room", required_argument, NULL, 'r'},
        {0},
    };
    struct load_options options = {
        .threads = 1, .guard_bytes = AS_BY_DEFAULT, .map_room = AS_BY_DEFAULT};
    int option;

    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        switch (option) {
        case 't':
            options.threads = parse_bytes(optarg);
            break;
        case 's':
            options.attr = ATTR_SIZE;
            options.size_bytes = parse_bytes(optarg);
            break;
        case 'd':
            options.attr = ATTR_DEFAULT;
            break;
        case '0':
            options.attr = ATTR_NULL;
            break;
        case 'm':
            options.attr = ATTR_MIXED;
            break;
        case 'g':
            options.guard_bytes = parse_bytes(optarg);
            break;
        case 'k':
            options.touch_kib = parse_bytes(optarg);
            break;
        case 'w':
            options.settle_ms = parse_bytes(optarg);
            break;
        case 'c':
            options.wait_collapse = true;
            break;
        case 'h':
            options.heap_mib = parse_bytes(optarg);
            break;
        case 'n':
            options.neighbour_kib = parse_bytes(optarg);
            break;
        case 'r':
            options.map_room = parse_bytes(optarg);
            break;
        default:
            exit(2);
        }
    }
    if (options.threads == 0 || optind != argc) {
        fprintf(stderr, "stackload: at least one thread, and nothing but options\n");
        exit(2);
    }
    return options;
}
