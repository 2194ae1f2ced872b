// What is compiler-generated, by the names that recordings show: closures, state machines and the like.
#ifndef CLEW_VIEW_STORY_GENERATED_H
#define CLEW_VIEW_STORY_GENERATED_H

#include "view/replay/replay_context.h"

// Whether a method without a statement of the source is one of a closure, a state machine or the like.
bool story_generated_method(struct text name);
// Whether an object is of a compiler-generated class: what holds captured variables, or a state machine.
bool story_generated_object(const struct replay_context *context, uint32_t process, uint32_t object);
// Whether it says if a Visual Basic `Static` has got its first value.
bool story_static_flag(const struct replay_context *context, uint32_t process, uint32_t object);

#endif
