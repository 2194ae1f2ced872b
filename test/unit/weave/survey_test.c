// Weaves every installed method with all instruments: each woven body must verify (that of System.Private.CoreLib too,
// which is never woven in a program), and be the same a second time. Prints how many values were left out, by reason.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include "installed.h"
#include "weave/operations/original.h"
#include "weaving.h"

// -- Installed methods ------------------------------------------------------------------------------------------------

static const char *const reasons[] = {"recorded", "redacted", "too large", "unknown", "unsafe"};

struct survey {
    struct made_types made;
    uint8_t *type_refs;
    const struct metadata *metadata;
    bool trusts;
    unsigned long sites, linked, results, woven_bytes, bytes, dropped[64], by_kind[6][5];
};

static void survey_open(const struct metadata *metadata, void *context)
{
    struct survey *survey = context;
    made_types_free(&survey->made);
    survey->type_refs = realloc(survey->type_refs, metadata_rows(metadata, TABLE_TYPE_REF) + 1);
    metadata_type_ref_kinds(metadata, survey->type_refs);
    survey->metadata = metadata;
    survey->trusts = weave_trusts_references(metadata);
}

static bool survey_token(void *context, struct bytes signature, uint32_t *token)
{
    struct survey *survey = context;
    return made_token(&survey->made, signature, token);
}

// Invents layouts, always the same for a type, so that all emit strategies are used.
static void survey_type(void *context, struct bytes signature, struct weave_type *type)
{
    uint32_t hash = (uint32_t)map_hash_text(signature.at, bytes_left(&signature));
    (void)context;
    type->number = hash | 1;
    type->wide = hash >> 21 & 1;
    if (type->encoding == VALUE_TYPED && *signature.at != ELEMENT_VAR && *signature.at != ELEMENT_MVAR) {
        switch (hash >> 8 & 3) {
        case 0:
            type->encoding = VALUE_STRUCT;
            type->size = 1 + (hash >> 12 & 127);
            type->has_references = hash >> 20 & 1;
            break;
        case 1:
            type->by_number = true;
            break;
        default:
            break;
        }
    }
}

// Whether the plan has a result at each call that completes the task and hands a value over, and at no other.
static bool has_results(struct weaving *weaving, const struct weave_method *method, const struct weave_runs *runs,
                        struct survey *survey)
{
    struct il_scope scope;
    struct il_method called;
    unsigned long wanted = 0, found = 0;
    if (il_scope_open(method->metadata, method->token, 0, method->type_refs, &weaving->arena, &scope) != CLEW_OK) {
        return false;
    }
    for (uint32_t i = 0; i < runs->count; i++) {
        const struct il_instruction *at = &weaving->body.originals[runs->points[i].at];
        wanted += runs->points[i].kind == RUN_POINT_COMPLETE &&
                  il_method_of(&scope, (uint32_t)at->operand.integer, &called) == CLEW_OK &&
                  called.signature.parameter_count > 0;
    }
    for (uint32_t i = 0; i < weaving->plan.count; i++) {
        found += weaving->plan.sites[i].kind == SITE_RESULT;
    }
    survey->results += found;
    return found == wanted || weaving->plan.dropped & INSTRUMENT_VALUES;
}

// As weaving_run(), with the runs of an async body linked.
static const char *weave_linked(struct weaving *weaving, const struct weave_method *given, struct bytes bytes,
                                struct survey *survey)
{
    struct weave_method method = *given;
    struct weave_runs runs;
    *weaving = (struct weaving){0};
    if (il_decode(bytes, &weaving->arena, &weaving->body) != CLEW_OK) {
        return "does not decode";
    }
    bool linked = weave_needs_local(&weaving->body) &&
                  weave_find_runs(&weaving->body, method.metadata, method.token, false, &runs);
    method.runs = linked ? &runs : NULL;
    if (weave_plan(&weaving->body, &method, &weaving->plan) != CLEW_OK) {
        return "is not planned";
    }
    if (linked) {
        runs.cancelled_token = TOKEN(TABLE_TYPE_REF, 1);
        weaving->plan.runs = runs;
        survey->linked += weaving->plan.context > 0;
        if (!has_results(weaving, &method, &runs, survey)) {
            return "lacks what it returns";
        }
    }
    return weaving_carry_out(weaving, &method, &survey->made);
}

static const char *survey_method(const struct metadata *metadata, uint32_t token, struct bytes bytes, void *context)
{
    struct survey *survey = context;
    const struct weave_queries queries = {.context = survey, .type = survey_type, .type_token = survey_token};
    const struct weave_method method = {.metadata = metadata,
                                        .token = token,
                                        .instruments = INSTRUMENT_AT_SITES | INSTRUMENT_USES,
                                        .line_times = true,
                                        .queries = &queries,
                                        .struct_limit = 100,
                                        .room = 1024,
                                        .trusts_references = survey->trusts,
                                        .type_refs = survey->type_refs,
                                        .suspends = token & 1};
    struct weaving weaving, again = {0};
    const char *wrong = weave_linked(&weaving, &method, bytes, survey);
    wrong = wrong ? wrong : weave_linked(&again, &method, bytes, survey);
    if (!wrong && (weaving.encoded.size != again.encoded.size ||
                   memcmp(weaving.encoded.data, again.encoded.data, again.encoded.size) != 0)) {
        wrong = "is woven differently a second time";
    }
    weaving_free(&again);
    survey->sites += weaving.plan.count;
    survey->bytes += weaving.body.code_size;
    survey->woven_bytes += weaving.encoded.size;
    survey->dropped[weaving.plan.dropped]++;
    for (uint32_t i = 0; i < weaving.plan.count; i++) {
        survey->by_kind[weaving.plan.sites[i].kind][weaving.plan.sites[i].reason]++;
    }
    weaving_free(&weaving);
    return wrong;
}

static void test_installed_methods_verify_when_woven(void **state)
{
    (void)state;
    static const char *const kinds[] = {"statements", "definitions", "uses", "arguments", "results", "allocations"};
    struct survey survey = {0};
    struct installed all = {.visit = survey_method, .open = survey_open, .context = &survey};
    installed_methods(&all);
    print_message("%lu assemblies, %lu methods, %lu sites, %lu bytes of IL became %lu, %lu failed\n", all.assemblies,
                  all.methods, survey.sites, survey.bytes, survey.woven_bytes, all.failed);
    for (unsigned kind = 0; kind < 6; kind++) {
        for (unsigned reason = 0; reason < 5; reason++) {
            if (survey.by_kind[kind][reason]) {
                print_message("%12s %-10s %9lu\n", kinds[kind], reasons[reason], survey.by_kind[kind][reason]);
            }
        }
    }
    for (unsigned i = 1; i < 64; i++) {
        if (survey.dropped[i]) {
            print_message("dropped %x: %lu methods\n", i, survey.dropped[i]);
        }
    }
    made_types_free(&survey.made);
    free(survey.type_refs);
    assert_int_equal(all.failed, 0);
    print_message("%lu linked async bodies return %lu values\n", survey.linked, survey.results);
    assert_true(survey.results > 0);
    assert_true(survey.linked > 0); // bodies with both, the context of a stream and linked runs
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_installed_methods_verify_when_woven),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
