// Display names against lists that were read by eye (test/golden/names, made from test/oracle/names), and over everything
// that the installed .NET has.
#include "golden.h"

#include <stdlib.h>
#include <time.h>

#include "named_modules.h"

static const char *kind_word(enum method_kind kind)
{
    static const char *const words[] = {"plain", "async", "iterator", "async iterator", "lambda",
                                        "local", ".ctor", ".cctor",   "accessor"};
    return words[kind];
}

// One line a method: name, kind, whether it is made by the compiler alone, scope, name in a call.
static void append_line(struct module *module, uint32_t token, struct buffer *out)
{
    struct method_name about;
    assert_int_equal(names_method(module->names, token, out, &about), CLEW_OK);
    buffer_printf(out, "\t%s\t%s\t", kind_word(about.kind), about.flags & METHOD_FLAG_GENERATED ? "made" : "-");
    assert_int_equal(names_scope(module->names, token, out), CLEW_OK);
    buffer_u8(out, '\t');
    assert_int_equal(names_call(module->names, token, out), CLEW_OK);
    buffer_u8(out, '\n');
}

static void compare_with_golden(const char *name)
{
    char path[256];
    struct module module;
    struct buffer lines = {0};
    (void)snprintf(path, sizeof path, "test/fuzz/corpus/metadata/%s.dll", name);
    assert_true(module_open(&module, path));
    for (uint32_t row = 1; row <= metadata_rows(&module.metadata, TABLE_METHOD_DEF); row++) {
        append_line(&module, TOKEN(TABLE_METHOD_DEF, row), &lines);
    }
    (void)snprintf(path, sizeof path, "test/golden/names/%s.txt", name);
    golden_compare(path, &lines);
    module_close(&module);
}

static void csharp_names_are_those_of_the_source(void **state)
{
    (void)state;
    compare_with_golden("CSharp");
}

static void fsharp_names_are_those_of_the_source(void **state)
{
    (void)state;
    compare_with_golden("FSharp");
}

static void visual_basic_names_are_those_of_the_source(void **state)
{
    (void)state;
    compare_with_golden("VisualBasic");
}

// The compiler's own account of what its state machines come from: the StateMachineMethod table of the PDB.
static void state_machines_have_the_method_that_the_symbols_name(void **state)
{
    (void)state;
    struct module module;
    struct metadata pdb;
    struct buffer file = file_read("test/golden/names/VisualBasic.pdb"), name = {0};
    assert_true(module_open(&module, "test/fuzz/corpus/metadata/VisualBasic.dll"));
    assert_int_equal(metadata_open(bytes_of(file.data, file.size), &pdb), CLEW_OK);
    assert_true(metadata_rows(&pdb, TABLE_STATE_MACHINE_METHOD) > 0);
    for (uint32_t row = 1; row <= metadata_rows(&pdb, TABLE_STATE_MACHINE_METHOD); row++) {
        uint32_t body = TOKEN(TABLE_METHOD_DEF,
                              metadata_column(&pdb, TABLE_STATE_MACHINE_METHOD, row, STATE_MACHINE_METHOD_MOVE_NEXT));
        uint32_t kickoff = TOKEN(TABLE_METHOD_DEF,
                                 metadata_column(&pdb, TABLE_STATE_MACHINE_METHOD, row, STATE_MACHINE_METHOD_KICKOFF));
        struct method_name of_body, of_kickoff;
        buffer_clear(&name);
        assert_int_equal(names_method(module.names, kickoff, &name, &of_kickoff), CLEW_OK);
        size_t size = name.size;
        assert_int_equal(names_method(module.names, body, &name, &of_body), CLEW_OK);
        assert_memory_equal(name.data, name.data + size, size); // the kick-off's name, then a word for the body
        assert_true(of_body.kind == METHOD_KIND_ASYNC || of_body.kind == METHOD_KIND_ITERATOR);
        assert_int_equal(of_body.origin, of_kickoff.origin);
    }
    buffer_free(&name);
    buffer_free(&file);
    module_close(&module);
}

// Whether some method of the module has exactly this name.
static bool has_name(struct module *module, const char *wanted)
{
    struct buffer name = {0};
    bool found = false;
    for (uint32_t row = 1; !found && row <= metadata_rows(&module->metadata, TABLE_METHOD_DEF); row++) {
        struct method_name about;
        buffer_clear(&name);
        assert_int_equal(names_method(module->names, TOKEN(TABLE_METHOD_DEF, row), &name, &about), CLEW_OK);
        found = text_equal((struct text){(const char *)name.data, name.size}, text_of(wanted));
    }
    buffer_free(&name);
    return found;
}

static void framework_methods_have_their_documented_names(void **state)
{
    (void)state;
    static const struct {
        const char *file, *name;
    } known[] = {
        {"System.Private.CoreLib.dll", "System.String.Concat(string, string)"},
        {"System.Private.CoreLib.dll", "System.String.Concat(object[])"},
        {"System.Private.CoreLib.dll", "System.Int32.TryParse(string, out int)"},
        {"System.Private.CoreLib.dll", "System.Object.ReferenceEquals(object, object)"},
        {"System.Private.CoreLib.dll", "System.Decimal.Add(decimal, decimal)"},
        {"System.Private.CoreLib.dll", "System.Array.BinarySearch<T>(T[], T, IComparer<T>)"},
        {"System.Private.CoreLib.dll", "System.Collections.Generic.List<T>.Add(T)"},
        {"System.Private.CoreLib.dll", "System.Collections.Generic.List<T>.Item.set(int, T)"},
        {"System.Private.CoreLib.dll", "System.Collections.Generic.List<T>.Enumerator.MoveNext()"},
        {"System.Private.CoreLib.dll", "System.Collections.Generic.List<T>.IList.Add(object)"},
        {"System.Private.CoreLib.dll",
         "System.Collections.Generic.Dictionary<TKey, TValue>.TryGetValue(TKey, out TValue)"},
        {"System.Private.CoreLib.dll", "System.AppDomain.UnhandledException.add(UnhandledExceptionEventHandler)"},
        {"System.Private.CoreLib.dll", "System.Threading.Interlocked.CompareExchange(ref int, int, int)"},
        {"System.Private.CoreLib.dll", "System.TimeSpan.op_Addition(TimeSpan, TimeSpan)"},
        {"System.Private.CoreLib.dll", "System.IO.StreamReader.ReadLineAsyncInternal(CancellationToken) (async)"},
        {"System.Linq.dll", "System.Linq.Enumerable.Sum(IEnumerable<int?>)"},
        {"System.Linq.dll", "System.Linq.Enumerable.CastIterator<TResult>(IEnumerable) (iterator)"},
        {"System.Net.Http.dll", "System.Net.Http.HttpContent.ReadAsStringAsync()"},
        {"System.Net.Http.dll",
         "System.Net.Http.HttpClient.GetStringAsyncCore(HttpRequestMessage, CancellationToken) (async)"},
    };
    char folder[800], path[1024];
    const char *opened = NULL;
    struct module module;
    dotnet_runtime_folder(folder, sizeof folder);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (!opened || strcmp(opened, known[i].file) != 0) {
            if (opened) {
                module_close(&module);
            }
            opened = known[i].file;
            (void)snprintf(path, sizeof path, "%s/%s", folder, opened);
            assert_true(module_open(&module, path));
        }
        if (!has_name(&module, known[i].name)) {
            fail_msg("%s has no method %s", opened, known[i].name);
        }
    }
    module_close(&module);
}

// What only compilers write: an empty pair of brackets, or a bracket where a name begins.
static bool has_leftover(const char *name)
{
    return strstr(name, "<>") || strstr(name, ".<") || *name == '<' || strstr(name, "(<") || strstr(name, ", <") ||
           strstr(name, "<<") || strstr(name, "...") || strstr(name, "!") || strstr(name, "`");
}

struct sweep {
    unsigned modules, methods, compiler_generated;
};

static void sweep_module(struct module *module, const char *path, void *context)
{
    struct sweep *sweep = context;
    struct buffer name = {0};
    uint32_t methods = metadata_rows(&module->metadata, TABLE_METHOD_DEF);
    for (uint32_t row = 1; row <= methods; row++) {
        struct method_name about;
        buffer_clear(&name);
        if (names_method(module->names, TOKEN(TABLE_METHOD_DEF, row), &name, &about) != CLEW_OK) {
            fail_msg("%s: method %u has no name", path, row);
        }
        buffer_u8(&name, 0);
        if (has_leftover((const char *)name.data)) {
            fail_msg("%s: method %u is called %s", path, row, (const char *)name.data);
        }
        if (TOKEN_TABLE(about.origin) != TABLE_METHOD_DEF || TOKEN_ROW(about.origin) == 0 ||
            TOKEN_ROW(about.origin) > methods) {
            fail_msg("%s: method %u comes from %x", path, row, about.origin);
        }
        sweep->compiler_generated += (about.flags & METHOD_FLAG_GENERATED) != 0;
    }
    sweep->modules++;
    sweep->methods += methods;
    buffer_free(&name);
}

static void every_method_of_framework_and_compilers_has_a_name(void **state)
{
    (void)state;
    struct sweep sweep = {0};
    modules_of_dotnet(sweep_module, &sweep);
    print_message("named %u methods of %u modules\n", sweep.methods, sweep.modules);
    assert_true(sweep.modules > 150);
    assert_true(sweep.methods > 300000);
    assert_true(sweep.compiler_generated > 10000 && sweep.compiler_generated < sweep.methods / 3);
}

static double seconds_to_name_all(const char *path, uint32_t *methods)
{
    struct module module;
    struct buffer name = {0};
    struct timespec start, end;
    assert_true(module_open(&module, path));
    *methods = metadata_rows(&module.metadata, TABLE_METHOD_DEF);
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    for (uint32_t row = 1; row <= *methods; row++) {
        struct method_name about;
        buffer_clear(&name);
        assert_int_equal(names_method(module.names, TOKEN(TABLE_METHOD_DEF, row), &name, &about), CLEW_OK);
    }
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    buffer_free(&name);
    module_close(&module);
    return (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
}

#if defined __SANITIZE_THREAD__ || defined __SANITIZE_ADDRESS__
enum { NAMING_US = 400 };
#else
enum { NAMING_US = 40 };
#endif

static void naming_is_fast_enough_for_the_jit(void **state)
{
    (void)state;
    char folder[800], path[1024];
    uint32_t methods;
    dotnet_sdk_folder(folder, sizeof folder);
    (void)snprintf(path, sizeof path, "%s/Roslyn/bincore/Microsoft.CodeAnalysis.CSharp.dll", folder);
    double each = seconds_to_name_all(path, &methods) * 1e6 / methods;
    print_message("%.2f us a method\n", each);
    assert_true(methods > 30000);
    assert_true(each <
                NAMING_US); // 2.5, and 70 with ThreadSanitizer; a scan a method would take hundreds, and thousands
}

static void tokens_that_are_no_methods_have_no_name(void **state)
{
    (void)state;
    struct module module;
    struct buffer name = {0};
    struct method_name about;
    assert_true(module_open(&module, "test/fuzz/corpus/metadata/CSharp.dll"));
    uint32_t rows = metadata_rows(&module.metadata, TABLE_METHOD_DEF);
    assert_int_equal(names_method(module.names, TOKEN(TABLE_METHOD_DEF, 0), &name, &about), CLEW_MALFORMED);
    assert_int_equal(names_method(module.names, TOKEN(TABLE_METHOD_DEF, rows + 1), &name, &about), CLEW_MALFORMED);
    assert_int_equal(names_method(module.names, TOKEN(TABLE_FIELD, 1), &name, &about), CLEW_MALFORMED);
    assert_int_equal(names_scope(module.names, TOKEN(TABLE_METHOD_DEF, rows + 1), &name), CLEW_MALFORMED);
    assert_int_equal(names_call(module.names, TOKEN(TABLE_METHOD_DEF, rows + 1), &name), CLEW_OK);
    assert_int_equal(names_call(module.names, TOKEN(TABLE_METHOD_SPEC, 0), &name), CLEW_OK);
    assert_int_equal(names_call(module.names, TOKEN(TABLE_FIELD, 1), &name), CLEW_OK);
    assert_int_equal(name.size, 0);
    module_close(&module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csharp_names_are_those_of_the_source),
        cmocka_unit_test(fsharp_names_are_those_of_the_source),
        cmocka_unit_test(visual_basic_names_are_those_of_the_source),
        cmocka_unit_test(state_machines_have_the_method_that_the_symbols_name),
        cmocka_unit_test(framework_methods_have_their_documented_names),
        cmocka_unit_test(every_method_of_framework_and_compilers_has_a_name),
        cmocka_unit_test(naming_is_fast_enough_for_the_jit),
        cmocka_unit_test(tokens_that_are_no_methods_have_no_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
