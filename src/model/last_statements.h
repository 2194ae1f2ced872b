// Which statement of an activation was its last one. This is known only once the activation has ended, which may be any
// number of events later. So a first pass over the timeline sets a bit for each last statement, in an unnamed temporary
// file that grows with the number of statements; a view that prints events in a second pass looks the bit up. Used by
// replay's format `lines`, which marks last statements.
#ifndef CLEW_MODEL_LAST_STATEMENTS_H
#define CLEW_MODEL_LAST_STATEMENTS_H

#include "model/events/timeline.h"
#include "model/sites.h"

struct last_statements;

// Runs the first pass. `options` must select the same events as the second pass; only the step function differs. IO:
// there is no room for a temporary file.
enum clew_error last_statements_find(struct recording *recording, const struct timeline_options *options,
                                     const struct sites *sites, struct last_statements **out);
// Whether statement `number` was the last one of an activation that returned. Numbers count statements from 0 in the
// order of the timeline.
bool last_statements_has(const struct last_statements *last, uint64_t number);
void last_statements_free(struct last_statements *last);

#endif
