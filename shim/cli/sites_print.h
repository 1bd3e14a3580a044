/* The two forms of what `thpfix sites` shows. */
#ifndef THPFIX_SHIM_CLI_SITES_PRINT_H
#define THPFIX_SHIM_CLI_SITES_PRINT_H

#include "shim/cli/sites_read.h"
#include "shim/cli/symbols.h"

/* symbols NULL: addresses only. */
void sites_print_text(const struct sites_report *report, struct symbols *symbols);

/* Names and words are an interface; what is not known is null. */
void sites_print_json(const struct sites_report *report, struct symbols *symbols);

#endif
