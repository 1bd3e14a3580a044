/* The interface of plugin_threads.c, a library that programs load and unload. */
#ifndef THPFIX_TESTS_BEHAVIOUR_PLUGIN_H
#define THPFIX_TESTS_BEHAVIOUR_PLUGIN_H

#include <pthread.h>

/* Runs threads whose routine is the plugin's own; attr may be NULL. The number that ran. */
typedef int plugin_run_threads_function(const pthread_attr_t *attr);

plugin_run_threads_function plugin_run_threads;

#endif
