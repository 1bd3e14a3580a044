/* A preloaded library that does nothing: what it costs to load one at all. */
extern const int empty_preload;
const int empty_preload = 1;
