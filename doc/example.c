// Prints the ten hottest methods of a recording, what its async methods waited for, then the history of a variable.
//     cc example.c $(pkg-config --cflags --libs clew) -o example
//     ./example app.clew sum
#include <clew/clew.h>
#include <stdio.h>

// Names are the program's: write them with care. Here, control characters become '?'.
static void print(struct clew_text text)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        putchar(c < 0x20 || c == 0x7f ? '?' : c);
    }
}

static enum clew_error print_hottest(struct clew_recording *recording)
{
    struct clew_tree *tree;
    uint32_t count;
    enum clew_error error = clew_tree_load(recording, NULL, &tree);
    if (error != CLEW_OK) {
        return error;
    }
    error = clew_tree_methods(tree, CLEW_BY_OWN_TIME, &count);
    for (uint32_t i = 0; error == CLEW_OK && i < count && i < 10; i++) {
        struct clew_method_row row = {.size = sizeof row};
        struct clew_method method = {.size = sizeof method};
        clew_tree_method(tree, i, &row);
        clew_method(recording, row.process, row.method, &method);
        printf("%12.3f us own %10llu calls  ", (double)row.own_ns / 1e3, (unsigned long long)row.calls);
        print(method.name);
        putchar('\n');
    }
    clew_tree_free(tree);
    return error;
}

static void print_waits_of(struct clew_recording *recording, struct clew_tree *tree, uint32_t index)
{
    struct clew_node node = {.size = sizeof node};
    struct clew_method method = {.size = sizeof method};
    struct clew_await await = {.size = sizeof await};
    clew_tree_node(tree, index, &node);
    clew_method(recording, node.process, node.method, &method);
    for (uint32_t i = 0; i < node.awaits && clew_tree_await(tree, index, i, &await) == CLEW_OK; i++) {
        print(method.name);
        printf(": %12.3f us in %llu times await ", (double)await.awaiting_ns / 1e3, (unsigned long long)await.count);
        print(await.what);
        printf(" line %u\n", await.line);
    }
}

// A recording without async methods, or one that does not say who called them, has no logical tree.
static enum clew_error print_waits(struct clew_recording *recording)
{
    const struct clew_tree_options options = {.size = sizeof options, .view = CLEW_TREE_LOGICAL};
    struct clew_tree *tree;
    enum clew_error error = clew_tree_load(recording, &options, &tree);
    if (error != CLEW_OK) {
        return error == CLEW_UNSUPPORTED ? CLEW_OK : error;
    }
    for (uint32_t i = 1; i < clew_tree_count(tree); i++) {
        print_waits_of(recording, tree, i);
    }
    clew_tree_free(tree);
    return CLEW_OK;
}

static void print_value(const struct clew_value *value)
{
    switch (value->kind) {
    case CLEW_VALUE_INTEGER:
        printf("%lld", (long long)value->integer);
        break;
    case CLEW_VALUE_REAL:
        printf("%g", value->real);
        break;
    case CLEW_VALUE_BOOLEAN:
        printf("%s", value->boolean ? "true" : "false");
        break;
    case CLEW_VALUE_OBJECT:
        print(value->text.size ? value->text : value->type);
        break;
    default:
        printf("(of kind %d)", (int)value->kind);
    }
}

static enum clew_error print_history(struct clew_recording *recording, const char *variable)
{
    struct clew_cursor_options options = {.size = sizeof options, .variable = variable};
    struct clew_cursor *cursor;
    struct clew_event event = {.size = sizeof event};
    enum clew_error error = clew_cursor_open(recording, &options, &cursor);
    if (error != CLEW_OK) {
        return error;
    }
    while ((error = clew_cursor_next(cursor, &event)) == CLEW_OK) {
        struct clew_value value = {.size = sizeof value};
        if (clew_cursor_value(cursor, &value)) {
            printf("%12.6f s thread %u line %u  %s = ", (double)event.time_ns / 1e9, event.thread, event.line,
                   variable);
            print_value(&value);
            putchar('\n');
        }
    }
    clew_cursor_free(cursor);
    return error == CLEW_NOT_FOUND ? CLEW_OK : error;
}

int main(int argc, char **argv)
{
    struct clew_recording *recording;
    if (argc != 3) {
        fprintf(stderr, "usage: example RECORDING VARIABLE\n");
        return 2;
    }
    enum clew_error error = clew_open(argv[1], &recording);
    if (error == CLEW_OK) {
        error = print_hottest(recording);
        error = error == CLEW_OK ? print_waits(recording) : error;
        error = error == CLEW_OK ? print_history(recording, argv[2]) : error;
        clew_close(recording);
    }
    if (error != CLEW_OK) {
        fprintf(stderr, "example: %s: %s\n", argv[1], clew_error_sentence(error));
    }
    return error != CLEW_OK;
}
