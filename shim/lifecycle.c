/* Constructor and destructor: an ordered list of calls. */

#include "shim/counters.h"
#include "shim/inherit.h"
#include "shim/log.h"
#include "shim/real.h"
#include "shim/runtime.h"
#include "shim/sites_hook.h"

#include <unistd.h>

static pid_t started_in; /* by the constructor; a forked child writes no line at exit */

static void log_field(struct log_line *line, const char *name, const char *value)
{
    log_text(line, " ");
    log_text(line, name);
    log_text(line, "=");
    log_text(line, value);
}

static void log_count(struct log_line *line, const char *name, uint64_t value)
{
    log_field(line, name, "");
    log_number(line, value);
}

static void log_verdict(struct log_line *line)
{
    struct verdict verdict = runtime_verdict();
    log_field(line, "program", runtime_program());
    log_field(line, "verdict", verdict_kind_name(verdict.kind));
    log_field(line, "reason", verdict_reason_word(verdict.reason));
}

static void log_start(void)
{
    struct log_line line;
    log_begin(&line);
    log_text(&line, "start");
    log_verdict(&line);
    log_field(&line, "version", THPFIX_VERSION);
    log_count(&line, "page_bytes", runtime_page_bytes());
    log_count(&line, "thp_bytes", runtime_thp_bytes());
    log_write(&line);
}

static void log_exit(void)
{
    struct log_line line;
    log_begin(&line);
    log_text(&line, "exit");
    log_verdict(&line);
#define LOG_COUNTER(field, help) log_count(&line, #field, COUNTER_GET(field));
    COUNTERS(LOG_COUNTER)
#undef LOG_COUNTER
    log_write(&line);
}

__attribute__((constructor)) static void library_start(void)
{
    real_resolve_all();
    runtime_start();
    sites_load();
    if (!runtime_config()->inherit) {
        inherit_remove(environ);
    }
    if (log_is_on()) {
        started_in = getpid();
        log_start();
    }
}

__attribute__((destructor)) static void library_end(void)
{
    if (log_is_on() && getpid() == started_in) {
        log_exit();
    }
}
