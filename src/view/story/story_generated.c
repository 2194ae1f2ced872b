// See story_generated.h.
#include "view/story/story_generated.h"

// The type of an object; NULL: unknown.
static const struct type *type_of_object(const struct replay_context *context, uint32_t process, uint32_t number)
{
    const struct recording_object *object = number ? objects_find(context->objects, process, number) : NULL;
    return object ? sites_type(context->sites, process, object->type) : NULL;
}

bool story_generated_object(const struct replay_context *context, uint32_t process, uint32_t object)
{
    const struct type *type = type_of_object(context, process, object);
    return type && (type->flags & (TYPE_FLAG_GENERATED | TYPE_FLAG_ANONYMOUS)) == TYPE_FLAG_GENERATED;
}

bool story_static_flag(const struct replay_context *context, uint32_t process, uint32_t object)
{
    static const char name[] = "Microsoft.VisualBasic.CompilerServices.StaticLocalInitFlag";
    const struct type *type = type_of_object(context, process, object);
    return type && text_equal(type->name, text_of(name));
}

bool story_generated_method(const struct recording_method *method)
{
    const uint32_t made = METHOD_FLAG_GENERATED | METHOD_FLAG_HELPER;
    return (method->flags & made) == made || method->flags & METHOD_FLAG_UNCERTAIN;
}
