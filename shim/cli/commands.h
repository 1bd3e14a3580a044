/* The subcommands: one line here and one file each.
 *
 * A subcommand gets its own name as argv[0], prints its own --help, and returns the
 * exit status. Complaints go through message.h, results through output.h.
 */
#ifndef THPFIX_SHIM_CLI_COMMANDS_H
#define THPFIX_SHIM_CLI_COMMANDS_H

/* X(name, description) */
#define COMMANDS(X)                                                                                \
    X(check, "tell whether this host is affected, why, and what to do about it")                   \
    X(run, "start a program with the library")                                                     \
    X(inspect, "show the thread stacks of a process and what its memory is for")                   \
    X(scan, "list the processes that waste memory on thread stacks, worst first")                  \
    X(stat, "show what the library did in a process")                                              \
    X(sites, "show where a process creates its threads")                                           \
    X(heal, "give back what thread stacks waste, while the process goes on")                       \
    X(systemd, "have a service start with the library, by a drop-in")                              \
    X(help, "show this help, or that of a command")

#define COMMAND_DECLARE(name, description) int command_##name(int argc, char **argv);
COMMANDS(COMMAND_DECLARE)
#undef COMMAND_DECLARE

/* Bad usage, or the result could not be written: every command but run, which has
 * the statuses of env(1) and nohup(1) (run.c). */
#define STATUS_FAILED 2

#endif
