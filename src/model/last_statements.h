// Which statement of an activation was its last: known only once the activation has ended, which may be any number of
// events later. A first pass over the stream leaves a bit for each statement, in the order of the timeline, in a file
// without a name, so that a view that goes through the events once can ask.
#ifndef CLEW_MODEL_LAST_STATEMENTS_H
#define CLEW_MODEL_LAST_STATEMENTS_H

#include "model/sites.h"
#include "model/timeline.h"

struct last_statements;

// The same options as those of the pass that will ask, but for its step. IO when there is no room for temporary files.
enum clew_error last_statements_find(const char *path, const struct timeline_options *options,
                                     const struct sites *sites, struct last_statements **out);
// Whether statement `number` (0, 1, 2 in the order of the timeline) was the last one of an activation that returned.
bool last_statements_has(const struct last_statements *last, uint64_t number);
void last_statements_free(struct last_statements *last);

#endif
