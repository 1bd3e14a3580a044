/* The text exposition format of Prometheus. */
#ifndef THPFIX_SHIM_CLI_PROMETHEUS_H
#define THPFIX_SHIM_CLI_PROMETHEUS_H

#include <stdint.h>
#include <stdio.h>

/* # HELP and # TYPE: once, before the samples of a metric, which must all follow. */
void prometheus_metric(FILE *stream, const char *name, const char *type, const char *help);

struct prometheus_label {
    const char *name, *value;
};

/* One sample; labels end with a NULL name. Values are escaped; bytes that are no UTF-8
 * become '?': the format knows no others. */
void prometheus_sample(FILE *stream, const char *name, const struct prometheus_label *labels,
                       uint64_t value);

#endif
