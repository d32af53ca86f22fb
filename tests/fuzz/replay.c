/* Gives the files named as arguments to a fuzz target, one by one, and nothing at all first. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define BYTES_MAX ((size_t)1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv)
{
    static uint8_t data[BYTES_MAX];
    LLVMFuzzerTestOneInput(data, 0);
    for (int i = 1; i < argc; i++) {
        FILE *f = fopen(argv[i], "rb");
        if (!f) {
            perror(argv[i]);
            return 1;
        }
        const size_t size = fread(data, 1, sizeof data, f);
        fclose(f);
        /* A block of its own size, so that reading past the end is seen. */
        uint8_t *copy = malloc(size > 0 ? size : 1);
        if (!copy) {
            return 1;
        }
        for (size_t k = 0; k < size; k++) {
            copy[k] = data[k];
        }
        printf("# %s\n", argv[i]);
        fflush(stdout); /* a crash must not hide which file it was */
        LLVMFuzzerTestOneInput(copy, size);
        free(copy);
    }
    printf("%d inputs\n", argc);
    return 0;
}
