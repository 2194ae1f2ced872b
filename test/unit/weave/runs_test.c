// Weaves every installed async body so that its runs can be linked: each woven body must verify, and the body itself must see
// the states that it had before.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include "installed.h"
#include "metadata/names/names.h"
#include "weave/operations/original.h"
#include "weaving.h"

struct survey {
    struct names *names;
    unsigned long bodies, iterators, linked, waits, named, plain;
};

static void opens(const struct metadata *metadata, void *context)
{
    struct survey *survey = context;
    names_free(survey->names);
    survey->names = names_new(metadata);
}

// The probes' own instructions apart, the woven body is the original one.
static const char *check_originals(const struct weaving *weaving)
{
    const struct il_body *woven = &weaving->body;
    uint32_t position = 0;
    for (const struct il_instruction *at = woven->first; at != woven->end; at = at->next) {
        if (at->offset != IL_NO_OFFSET && at != &woven->originals[position++]) {
            return "has lost an instruction";
        }
    }
    return NULL;
}

static void count(struct survey *survey, const struct weave_runs *runs)
{
    survey->linked++;
    survey->plain += (runs->shape & RUN_SHAPE_PLAIN) != 0;
    for (uint32_t i = 0; i < runs->count; i++) {
        survey->waits += runs->points[i].kind == RUN_POINT_WAIT;
        survey->named += runs->points[i].kind == RUN_POINT_WAIT && runs->points[i].awaited;
    }
}

static const char *weaves(const struct metadata *metadata, uint32_t token, struct bytes bytes, void *context)
{
    struct survey *survey = context;
    struct metadata_method method;
    enum method_kind kind = METHOD_KIND_PLAIN;
    if (!metadata_method(metadata, token, &method) || !text_equal(method.name, text_of("MoveNext"))) {
        return NULL;
    }
    uint32_t kickoff = names_kickoff(survey->names, metadata_method_owner(metadata, token), &kind);
    bool iterator = kind == METHOD_KIND_ASYNC_ITERATOR;
    if (!kickoff || (kind != METHOD_KIND_ASYNC && !iterator)) {
        return NULL;
    }
    const struct weave_method of = {.metadata = metadata, .token = token};
    struct weaving weaving = {0};
    const char *wrong = il_decode(bytes, &weaving.arena, &weaving.body) == CLEW_OK ? NULL : "does not decode";
    weaving.plan = weave_empty_plan(&weaving.body, NULL);
    survey->bodies++;
    survey->iterators += iterator;
    if (!wrong && weave_needs_local(&weaving.body) &&
        weave_find_runs(&weaving.body, metadata, token, iterator, &weaving.plan.runs)) {
        weaving.plan.runs.cancelled_token = TOKEN(TABLE_TYPE_REF, 1);
        count(survey, &weaving.plan.runs);
        wrong = weaving_carry_out(&weaving, &of, &(struct made_types){0});
        wrong = wrong ? wrong : check_originals(&weaving);
    }
    weaving_free(&weaving);
    return wrong;
}

static void installed_async_bodies_verify_when_their_runs_are_linked(void **state)
{
    (void)state;
    struct survey survey = {0};
    struct installed all = {.visit = weaves, .open = opens, .context = &survey};
    installed_methods(&all);
    print_message("%lu async bodies (%lu of iterators): %lu linked, %lu with plain builders; %lu waits, %lu named\n",
                  survey.bodies, survey.iterators, survey.linked, survey.plain, survey.waits, survey.named);
    names_free(survey.names);
    assert_int_equal(all.failed, 0);
    assert_true(survey.bodies > 0 && survey.linked == survey.bodies);
}

// -- Runtime async ----------------------------------------------------------------------------------------------------

struct suspended {
    struct made_types made;
    bool is_core; // the assembly is the core library
    unsigned long bodies, awaits, direct, named;
};

static void opens_other(const struct metadata *metadata, void *context)
{
    struct suspended *survey = context;
    made_types_free(&survey->made);
    survey->is_core = metadata_rows(metadata, TABLE_ASSEMBLY_REF) == 0;
}

static void count_awaits(struct suspended *survey, const struct weave_runs *runs)
{
    survey->bodies++;
    for (uint32_t i = 0; i < runs->count; i += 2) {
        survey->awaits++;
        survey->direct += runs->points[i].at < runs->points[i + 1].at;
        survey->named += runs->points[i].awaited != 0;
    }
}

static const char *weaves_suspended(const struct metadata *metadata, uint32_t token, struct bytes bytes, void *context)
{
    static const uint32_t instruments[] = {0, INSTRUMENT_AT_SITES | INSTRUMENT_USES};
    struct suspended *survey = context;
    const struct weave_queries queries = {.context = &survey->made, .type_token = made_token};
    struct weave_method method = {.metadata = metadata,
                                  .token = token,
                                  .line_times = true,
                                  .queries = &queries,
                                  .struct_limit = 100,
                                  .room = 1024,
                                  .suspends = true};
    const char *wrong = NULL;
    for (unsigned i = 0; i < 2 && !wrong && is_runtime_async(&method); i++) {
        struct weaving weaving;
        method.instruments = instruments[i];
        wrong = weaving_run(&weaving, &method, bytes, &survey->made);
        wrong = wrong ? wrong : check_originals(&weaving);
        if (!wrong && i == 0) {
            count_awaits(survey, &weaving.plan.runs);
        }
        weaving_free(&weaving);
    }
    return survey->is_core ? NULL : wrong; // it waits by other means, too; it is never woven
}

static void the_framework_of_runtime_11_verifies_when_its_awaits_are_woven(void **state)
{
    (void)state;
    const char *runtime = getenv("CLEW_RUNTIME_11"); // of tools/runtime-11
    struct suspended survey = {0};
    struct installed all = {.visit = weaves_suspended, .open = opens_other, .context = &survey, .step = 1};
    installed_folder(runtime ? runtime : "build/net11", "/shared/Microsoft.*/11.*", &all);
    print_message("%lu assemblies, %lu bodies of runtime async, %lu awaits: %lu of calls, %lu named; %lu failed\n",
                  all.assemblies, survey.bodies, survey.awaits, survey.direct, survey.named, all.failed);
    made_types_free(&survey.made);
    if (all.assemblies == 0) {
        skip(); // it comes with the first sample that needs it
    }
    assert_int_equal(all.failed, 0);
    assert_true(survey.awaits > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(installed_async_bodies_verify_when_their_runs_are_linked),
        cmocka_unit_test(the_framework_of_runtime_11_verifies_when_its_awaits_are_woven),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
