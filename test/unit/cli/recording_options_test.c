// What -i, --include and --exclude make of the configuration.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include <string.h>

#include "cli/recording_options.h"
#include "ring/ring.h"
#include "trace/instrument.h"

static const struct cli_command command = {.name = "test", .options = recording_option_table};

// The instruments, or 0 when the words are refused; `scope` holds the configuration lines then.
static uint32_t parse(const char *const *words, char *scope, size_t size)
{
    char *argv[16] = {(char[]){"test"}};
    int argc = 1;
    for (; words[argc - 1]; argc++) {
        argv[argc] = (char *)(uintptr_t)words[argc - 1]; // not written to
    }
    argv[argc] = (char[]){"true"};
    struct recording_options options;
    uint32_t instruments = 0;
    if (recording_options_parse(&command, argc + 1, argv, &options) == 0) {
        assert_true(options.scope.size < size);
        memcpy(scope, options.scope.size ? (const char *)options.scope.data : "", options.scope.size);
        scope[options.scope.size] = '\0';
        instruments = options.instruments;
    }
    recording_options_free(&options);
    return instruments;
}

static void expect(uint32_t instruments, const char *scope, const char *const *words)
{
    char recorded[1024] = "";
    assert_int_equal(parse(words, recorded, sizeof recorded), instruments);
    assert_string_equal(recorded, scope);
}

#define EXPECT(instruments, scope, ...) expect(instruments, scope, (const char *const[]){__VA_ARGS__, NULL})
#define REFUSED(...) EXPECT(0, "", __VA_ARGS__)

static void instruments_add_up(void **state)
{
    (void)state;
    expect(INSTRUMENT_TREE, "", (const char *const[]){NULL});
    EXPECT(INSTRUMENT_CALLS, "", "-i", "calls");
    EXPECT(INSTRUMENT_TREE | INSTRUMENT_CALLS, "", "-i", "tree,calls");
    EXPECT(INSTRUMENT_TREE | INSTRUMENT_CALLS, "", "-i", "calls", "--instrument=tree");
}

static void instruments_have_their_scope(void **state)
{
    (void)state;
    EXPECT(INSTRUMENT_CALLS | INSTRUMENT_TREE, "calls [*]A.B(int, (C, D))\ncalls [*]E\n", "-i",
           "calls:A.B(int, (C, D));E,tree");
    EXPECT(INSTRUMENT_TREE | INSTRUMENT_CALLS, "calls [App]*\ncalls [Lib]N.*\n", "-i", "calls:[App]*;[Lib]N.*,tree");
    EXPECT(INSTRUMENT_TREE | INSTRUMENT_CALLS, "include [Lib]*\ntree [*]N.T\ncalls [App]\nexclude [*]X\n", "--include",
           "[Lib]*", "-i", "tree:N.T", "-i", "calls:[App]", "--exclude", "X");
    // Names of generic types and operators have the separators in them.
    EXPECT(INSTRUMENT_TREE | INSTRUMENT_CALLS, "tree [*]N.Map<K, V>.Add\ntree [*]N.Map<K, L<V, W>>.*\n", "-i",
           "tree:N.Map<K, V>.Add;N.Map<K, L<V, W>>.*,calls");
    EXPECT(INSTRUMENT_TREE | INSTRUMENT_CALLS, "tree [*]N.operator <\n", "-i", "tree:N.operator <,calls");
}

// Lines are timed by the tick word, alone and beside others, unless a clock is asked for.
static void lines_have_a_clock(void **state)
{
    static const struct {
        const char *words[6];
        bool tick, by_clock;
    } cases[] = {
        {{"test", "-i", "lines", "true"}, true, false},
        {{"test", "-i", "lines,tree", "true"}, false, false},
        {{"test", "-ilines", "--clock", "monotonic", "true"}, false, true},
        {{"test", "-ilines", "--clock", "tick", "true"}, true, false},
        {{"test", "--clock", "monotonic", "true"}, false, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *argv[8] = {0};
        int argc = 0;
        for (; argc < 6 && cases[i].words[argc]; argc++) {
            argv[argc] = (char *)(uintptr_t)cases[i].words[argc]; // not written to
        }
        struct recording_options options;
        assert_int_equal(recording_options_parse(&command, argc, argv, &options), 0);
        assert_int_equal(options.clock == CLOCK_KIND_TICK, cases[i].tick);
        assert_int_equal((options.flags & SESSION_LINES_BY_CLOCK) != 0, cases[i].by_clock);
        recording_options_free(&options);
    }
}

// Other settings for the agent come first, in the order of its options.
static void settings_are_lines_of_the_scope(void **state)
{
    char *argv[] = {(char[]){"test"},           (char[]){"-i"},
                    (char[]){"values"},         (char[]){"--uses"},
                    (char[]){"--redact"},       (char[]){""},
                    (char[]){"--redact=*pin*"}, (char[]){"--symbols"},
                    (char[]){"/proc/../tmp"},   (char[]){"--string-max=0"},
                    (char[]){"--include"},      (char[]){"[App]*"},
                    (char[]){"true"},           NULL};
    static const char expected[] = "redact \nredact *pin*\nsymbols /tmp\nstring-max 0\ninclude [App]*\n";
    struct recording_options options;
    (void)state;
    assert_int_equal(recording_options_parse(&command, 13, argv, &options), 0);
    assert_int_equal(options.instruments, INSTRUMENT_VALUES | INSTRUMENT_USES);
    assert_int_equal(options.configuration.size, strlen(expected));
    assert_memory_equal(options.configuration.data, expected, strlen(expected));
    assert_int_equal(options.symbol_count, 1);
    assert_string_equal(options.symbols[0], "/tmp");
    recording_options_free(&options);
}

// What is left out or counted has no statements, values and events.
static void tiny_methods_are_for_calls(void **state)
{
    (void)state;
    EXPECT(INSTRUMENT_TREE, "", "--tiny", "full");
    EXPECT(INSTRUMENT_TREE | INSTRUMENT_VALUES, "", "--tiny=full", "-i", "tree,values");
    EXPECT(INSTRUMENT_TREE, "", "--tiny", "count");
    EXPECT(INSTRUMENT_TREE | INSTRUMENT_CALLS, "include [*]A\n", "--tiny", "skip", "-i", "tree,calls", "--include",
           "A");
    REFUSED("--tiny", "some");
    REFUSED("--tiny", "count", "-i", "calls");
    REFUSED("--tiny", "count", "-i", "tree,calls");
    REFUSED("--tiny", "count", "-i", "tree,lines");
    REFUSED("--tiny", "skip", "-i", "lines");
    REFUSED("--tiny", "skip", "-i", "statements");
    REFUSED("-i", "tree,values", "--tiny", "skip");
    REFUSED("--tiny", "skip", "--all-code");
    char *argv[] = {(char[]){"test"}, (char[]){"--tiny=count"}, (char[]){"true"}, NULL};
    struct recording_options options;
    assert_int_equal(recording_options_parse(&command, 3, argv, &options), 0);
    assert_memory_equal(options.configuration.data, "tiny count\n", options.configuration.size);
    recording_options_free(&options);
}

// Hooks record calls alone.
static void all_code_is_for_calls(void **state)
{
    (void)state;
    EXPECT(INSTRUMENT_TREE, "", "--all-code");
    EXPECT(INSTRUMENT_TREE | INSTRUMENT_CALLS, "", "--all-code", "-i", "tree,calls");
    REFUSED("--all-code", "-i", "values");
    REFUSED("-i", "statements", "--all-code");
    REFUSED("-i", "lines", "--all-code");
    REFUSED("-i", "tree,lines", "--all-code");
}

// Hooks change no code.
static void exact_ends_are_a_flag(void **state)
{
    (void)state;
    char *argv[] = {(char[]){"test"}, (char[]){"--exact-ends"}, (char[]){"true"}, NULL};
    struct recording_options options;
    assert_int_equal(recording_options_parse(&command, 3, argv, &options), 0);
    assert_int_equal(options.flags, SESSION_EXACT_ENDS);
    recording_options_free(&options);
    REFUSED("--exact-ends", "--all-code");
}

static void wrong_options_are_refused(void **state)
{
    (void)state;
    REFUSED("-i", "");
    REFUSED("-i", "tree,");
    REFUSED("-i", "trees");
    REFUSED("-i", "samples");
    REFUSED("-i", "tree,samples:[App]*");
    REFUSED("-i", "tree:");
    REFUSED("-i", "tree:[App]*;");
    REFUSED("-i", "tree:[App");
    REFUSED("-i", "calls:[]X");
    REFUSED("-i", "calls:a\nb");
    REFUSED("-i", ":[App]*");
    REFUSED("--include", "[App");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instruments_add_up),         cmocka_unit_test(instruments_have_their_scope),
        cmocka_unit_test(lines_have_a_clock),         cmocka_unit_test(settings_are_lines_of_the_scope),
        cmocka_unit_test(tiny_methods_are_for_calls), cmocka_unit_test(all_code_is_for_calls),
        cmocka_unit_test(exact_ends_are_a_flag),      cmocka_unit_test(wrong_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
