// Runs a fuzzer's entry once on every file of a corpus folder, in builds without libFuzzer, so that fixed bugs stay fixed.
// Fails if the folder is empty.
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Reads the whole file into the heap, so that sanitizers notice reads past its end.
static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        return NULL;
    }
    uint8_t *data = NULL;
    if (fseek(file, 0, SEEK_END) == 0) {
        long end = ftell(file);
        rewind(file);
        *size = end > 0 ? (size_t)end : 0;
        data = malloc(*size ? *size : 1);
        if (data && fread(data, 1, *size, file) != *size) {
            free(data);
            data = NULL;
        }
    }
    (void)fclose(file); // a file that was only read
    return data;
}

int main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    if (!folder) {
        fprintf(stderr, "usage: %s CORPUS_FOLDER\n", argv[0]);
        return 2;
    }
    int inputs = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        char path[4096];
        size_t size = 0;
        (void)snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        uint8_t *data = read_file(path, &size);
        if (!data) {
            fprintf(stderr, "cannot read %s\n", path);
            return 1;
        }
        (void)LLVMFuzzerTestOneInput(data, size);
        free(data);
        inputs++;
    }
    (void)closedir(folder);
    printf("%d inputs\n", inputs);
    return inputs == 0;
}
