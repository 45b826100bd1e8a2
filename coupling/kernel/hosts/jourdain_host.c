/* jourdain-host: offers the services of a library, whose path is its first argument, to the process that has started it. */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **arguments)
{
    union { /* ISO C has no conversion from object to function pointers */
        void *object;
        int (*function)(int, char **);
    } run = {NULL};
    void *const core = count > 1 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (core)
        run.object = dlsym(core, "host_run");
    if (run.object)
        return run.function(count, arguments);
    const char *const why = dlerror();
    fprintf(stderr, "%s\n", why ? why : "this program is started by Jourdain, for FMUs that run in a process of their own");
    return 2;
}
