#include "detect/root_read.h"
#include "shim/cli/host_report.h"
#include "shim/cli/launch.h"
#include "shim/cli/message.h"
#include "shim/config.h"

#include <string.h>

static const char *look_up(const char *name, void *context)
{
    const char *origin;
    return run_options_text(context, name, &origin);
}

static void complain(const struct config_variable *variable, const char *text, void *context)
{
    (void)context;
    message("run", "%s=%s is no value (%s): the library will say so and use its default",
            variable->name, text, variable->values);
}

static void explain_verdict(const struct config *config, const char *program)
{
    struct host_report report;
    host_report_read(ROOT_HOST, &report);
    const char *slash = strrchr(program, '/');
    const char *does = report.verdict.kind == VERDICT_ACTIVE ? "look after thread stacks"
                                                             : "do nothing, as long as that holds";
    /* In the order of the library's own decision. */
    if (config->mode == CONFIG_OFF) {
        does = "do nothing, as THPFIX=off says";
    } else if (!config_selects(config, slash != NULL ? slash + 1 : program)) {
        does = "do nothing: THPFIX_ONLY or THPFIX_EXCLUDE leaves this program out";
    } else if (config->mode == CONFIG_ON) {
        does = "look after thread stacks, as THPFIX=on says";
    }
    message("run", "host: %s: %s", host_report_headline(&report),
            verdict_reason_sentence(report.verdict.reason));
    message("run", "the library will: %s", does);
}

static void explain_program(const struct launch *launch)
{
    if (strcmp(launch->program, launch->image) == 0) {
        message("run", "program: %s", launch->program);
    } else {
        message("run", "program: %s, a script for %s", launch->program, launch->image);
    }
    if (launch->image_error != 0) {
        message("run", "it could not be looked into: %s", strerror(-launch->image_error));
        return;
    }
    for (size_t i = 0; i < launch->runtime_count; i++) {
        message("run", "first in LD_PRELOAD: %s, the sanitizer runtime that the program needs",
                launch->runtimes[i]);
    }
    const char *sanitizer = elf_file_built_in_sanitizer(launch->image);
    if (sanitizer != NULL) {
        message("run", "the program contains the %s sanitizer: nothing need come first", sanitizer);
    }
}

void launch_explain(const struct launch *launch)
{
    struct run_options options = *launch->options; /* look_up takes no constant */
    struct config config;
    message("run", "library: %s (%s)", launch->library,
            launch->options->library != NULL ? "given with --library" : "found beside thpfix");
    explain_program(launch);
    config_read(look_up, complain, &options, &config);
    explain_verdict(&config, launch->program);
    message("run", "LD_PRELOAD=%s", launch->preload);
    for (size_t i = 0; i < config_variable_count; i++) {
        const char *origin;
        const char *text = run_options_text(&options, config_variables[i].name, &origin);
        message("run", "%s=%s (%s): %s", config_variables[i].name, text, origin,
                config_variables[i].help);
    }
}
