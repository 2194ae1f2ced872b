// Methods and objects that the compiler made for itself: closures, state machines and the like.
#ifndef CLEW_VIEW_STORY_GENERATED_H
#define CLEW_VIEW_STORY_GENERATED_H

#include "view/replay/replay_context.h"

// Whether a method without a statement in the source belongs to a closure, a state machine or the like. Methods of
// anonymous types and the members of records do not: the source uses them.
bool story_generated_method(const struct recording_method *method);
// Whether an object is not in the source: a closure, a state machine. Objects of anonymous types are.
bool story_generated_object(const struct replay_context *context, uint32_t process, uint32_t object);
// Whether an object records if a Visual Basic `Static` variable has been initialised.
bool story_static_flag(const struct replay_context *context, uint32_t process, uint32_t object);

#endif
