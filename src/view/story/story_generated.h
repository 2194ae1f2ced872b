// Recognises compiler-generated methods and objects by their names: closures, state machines and the like.
#ifndef CLEW_VIEW_STORY_GENERATED_H
#define CLEW_VIEW_STORY_GENERATED_H

#include "view/replay/replay_context.h"

// Whether a method belongs to a closure, a state machine or the like. Only meaningful for methods without a statement
// in the source.
bool story_generated_method(struct text name);
// Whether an object's class is compiler-generated: it holds captured variables, or is a state machine.
bool story_generated_object(const struct replay_context *context, uint32_t process, uint32_t object);
// Whether an object records if a Visual Basic `Static` variable has been initialised.
bool story_static_flag(const struct replay_context *context, uint32_t process, uint32_t object);

#endif
