#define _GNU_SOURCE
#include "fmi/effects.h"
#include "fmi/fmi1.h"
#include "fmi/where.h"

#include <dirent.h>
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*Function)(void);

enum { LONGEST = 1000 };

/* The function of a name, or of this name after the model identifier: sources of FMUs have such names. `path` is null in the first case. */
static Function find(void *handle, const char *path, const char *symbol)
{
    union { /* ISO C has no conversion from object to function pointers */
        void *object;
        Function function;
    } found = {NULL};
    char named[LONGEST];
    if (path) {
        const char *const slash = strrchr(path, '/'), *const file = slash ? slash + 1 : path, *const dot = strrchr(file, '.');
        if (snprintf(named, sizeof named, "%.*s_%s", dot ? (int)(dot - file) : (int)strlen(file), file, symbol) >= LONGEST)
            return NULL;
    }
    found.object = dlsym(handle, path ? named : symbol);
    return found.function;
}

#define OPTIONAL(member, symbol, result, arguments) library->F.member = (result(*) arguments)find(library->handle, path, PREFIX #symbol);
#define REQUIRED(member, symbol, result, arguments)      \
    OPTIONAL(member, symbol, result, arguments)          \
    if (!library->F.member)                              \
        return PREFIX #symbol;
#define NEEDED(member, symbol, result, arguments) \
    if (!library->F.member)                       \
        return PREFIX #symbol;
#define IGNORED(member, symbol, result, arguments)
#define ACCESS(type, name, c)                                                    \
    library->F.get[type] = (GET)find(library->handle, path, PREFIX "Get" #name); \
    library->F.set[type] = (SET)find(library->handle, path, PREFIX "Set" #name);

/* Each returns the symbol that is missing, or null. */
#define F fmi2
#define GET Fmi2Get
#define SET Fmi2Set
#define PREFIX "fmi2"
static const char *resolve_2(Library *library, const char *path)
{
    FMI2_FUNCTIONS(REQUIRED, OPTIONAL, OPTIONAL, OPTIONAL)
    FMI2_TYPES(ACCESS)
    return !library->fmi2.get[FLOAT64] ? "fmi2GetReal" : !library->fmi2.set[FLOAT64] ? "fmi2SetReal" : NULL;
}
static const char *missing_2(const Library *library, bool stepped)
{
    if (stepped) {
        FMI2_FUNCTIONS(IGNORED, IGNORED, NEEDED, IGNORED)
    } else {
        FMI2_FUNCTIONS(IGNORED, NEEDED, IGNORED, IGNORED)
    }
    return NULL;
}
#undef F
#undef GET
#undef SET
#undef PREFIX
#define F fmi1[0]
#define GET Fmi2Get
#define SET Fmi2Set
#define PREFIX "fmi"
#define OF_KIND(member, symbol, result, arguments) library->F.member = (result(*) arguments)find_of_model(library->handle, path, PREFIX #symbol);
#define ACCESS_1(type, name, c)                                                         \
    library->F.get[type] = (GET)find_of_model(library->handle, path, PREFIX "Get" #name);  \
    library->F.set[type] = (SET)find_of_model(library->handle, path, PREFIX "Set" #name);
/* The model identifier, which is the name of the binary, stands before each function of FMI 1.0; tools also left it out. */
static Function find_of_model(void *handle, const char *path, const char *symbol)
{
    const Function found = find(handle, path, symbol);
    return found ? found : find(handle, NULL, symbol);
}
static const char *resolve_1(Library *library, const char *path)
{
    library->fmi1 = calloc(1, sizeof *library->fmi1);
    if (!library->fmi1)
        return "calloc";
    FMI1_FUNCTIONS(OF_KIND, OF_KIND, OF_KIND)
    FMI1_TYPES(ACCESS_1)
    fmi1_adapt(library);
    return !library->F.get[FLOAT64] ? "fmiGetReal" : !library->F.set[FLOAT64] ? "fmiSetReal" : NULL;
}
static const char *missing_1(const Library *library, bool stepped)
{
    if (stepped) {
        FMI1_FUNCTIONS(IGNORED, NEEDED, IGNORED)
    } else {
        FMI1_FUNCTIONS(NEEDED, IGNORED, IGNORED)
    }
    return NULL;
}
#undef F
#undef GET
#undef SET
#undef PREFIX
#define F fmi3
#define GET Fmi3Get
#define SET Fmi3Set
#define PREFIX "fmi3"
static const char *resolve_3(Library *library, const char *path)
{
    FMI3_FUNCTIONS(REQUIRED, OPTIONAL, OPTIONAL, OPTIONAL)
    FMI3_TYPES(ACCESS)
    return !library->fmi3.get[FLOAT64] ? "fmi3GetFloat64" : !library->fmi3.set[FLOAT64] ? "fmi3SetFloat64" : NULL;
}
static const char *missing_3(const Library *library, bool stepped)
{
    if (stepped) {
        FMI3_FUNCTIONS(IGNORED, IGNORED, NEEDED, IGNORED)
    } else {
        FMI3_FUNCTIONS(IGNORED, NEEDED, IGNORED, IGNORED)
    }
    return NULL;
}
#undef F
#undef GET
#undef SET
#undef PREFIX

#define NAME(table, prefix, member, symbol)          \
    if (number == CALL_NUMBER(table, member))        \
        return prefix #symbol;
#define NAME_2(member, symbol, result, arguments) NAME(Fmi2, "fmi2", member, symbol)
#define NAME_3(member, symbol, result, arguments) NAME(Fmi3, "fmi3", member, symbol)
#define ACCESS_2(type, name, c) NAME(Fmi2, "fmi2", get[type], Get##name) NAME(Fmi2, "fmi2", set[type], Set##name)
#define ACCESS_3(type, name, c) NAME(Fmi3, "fmi3", get[type], Get##name) NAME(Fmi3, "fmi3", set[type], Set##name)

#define NAME_1(member, symbol, result, arguments) NAME(Fmi2, "fmi", member, symbol)
#define ACCESS_OF_1(type, name, c) NAME(Fmi2, "fmi", get[type], Get##name) NAME(Fmi2, "fmi", set[type], Set##name)

const char *library_call(int standard, int number)
{
    if (number == CALL_LOADING)
        return "dlopen";
    if (standard == 1) {
        const char *const other = fmi1_call(number);
        if (other)
            return other;
        FMI2_FUNCTIONS(NAME_1, NAME_1, NAME_1, NAME_1)
        FMI2_TYPES(ACCESS_OF_1)
    } else if (standard == 2) {
        FMI2_FUNCTIONS(NAME_2, NAME_2, NAME_2, NAME_2)
        FMI2_TYPES(ACCESS_2)
    } else {
        FMI3_FUNCTIONS(NAME_3, NAME_3, NAME_3, NAME_3)
        FMI3_TYPES(ACCESS_3)
    }
    return "no function";
}

static void *open_library(const char *path, int standard)
{
    WHERE_ENTERS(standard, CALL_LOADING, NULL);
    void *const handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    WHERE_LEAVES();
    return handle;
}

/* -- variables of a library ------------------------------------------------------------------------------------------------ */

typedef struct {
    ElfW(Addr) base;
    uint64_t digest;
} Looked;

/* Memory that can be written to, except places that the loader alone has written. */
static int look_at(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    Looked *const l = context;
    if (info->dlpi_addr != l->base)
        return 0;
    const ElfW(Phdr) *relocated = NULL;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO)
            relocated = &info->dlpi_phdr[i];
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *const part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_W))
            continue;
        ElfW(Addr) at = part->p_vaddr, end = at + part->p_memsz;
        if (relocated && relocated->p_vaddr <= at && relocated->p_vaddr + relocated->p_memsz > at)
            at = relocated->p_vaddr + relocated->p_memsz;
        at += -at & (sizeof(uint64_t) - 1);
        for (uint64_t word; at + sizeof word <= end; at += sizeof word) {
            memcpy(&word, (const void *)(info->dlpi_addr + at), sizeof word);
            l->digest = (l->digest ^ word) * 0x9E3779B97F4A7C15u;
            l->digest ^= l->digest >> 32;
        }
    }
    return 1;
}

static uint64_t digest(void *handle)
{
    struct link_map *map = NULL;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) || !map)
        return 0;
    Looked looked = {.base = map->l_addr};
    dl_iterate_phdr(look_at, &looked);
    return looked.digest;
}

static int threads(void)
{
    DIR *const tasks = opendir("/proc/self/task");
    int count = 0;
    while (tasks && readdir(tasks))
        count++;
    if (tasks)
        closedir(tasks);
    return count;
}

void library_watch(Library *library)
{
    library->data = digest(library->handle);
    library->threads = threads();
    library->foreign = true;
}

bool library_is_changed(const Library *library)
{
    return library->data != digest(library->handle);
}

bool library_has_threads(const Library *library)
{
    return threads() > library->threads;
}

bool library_is_loaded(const char *path)
{
    void *const handle = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    if (handle)
        dlclose(handle);
    return handle != NULL;
}

Library *library_open(const char *path, int standard, char *problem, size_t size)
{
    Library *library = calloc(1, sizeof *library);
    if (!library)
        return NULL;
    library->standard = standard;
    library->version = standard == 3 ? 3 : 2;
    Surroundings *const before = surroundings_of();
    library->handle = open_library(path, standard);
    library->effects = surroundings_restore(before);
    if (!library->handle) {
        snprintf(problem, size, "%s", dlerror());
        free(library);
        return NULL;
    }
    const char *const prefix = find(library->handle, path, standard == 3 ? "fmi3FreeInstance" : "fmi2FreeInstance") ? path : NULL;
    const char *missing = standard == 1 ? resolve_1(library, path) : standard == 2 ? resolve_2(library, prefix) : resolve_3(library, prefix);
    if (missing) {
        snprintf(problem, size, "the function %s is missing", missing);
        library_close(library);
        return NULL;
    }
    return library;
}

const char *library_missing(const Library *library, bool stepped)
{
    if (library->fmi1)
        return missing_1(library, stepped);
    if (library->standard == 1 && missing_2(library, stepped)) /* in another process, where the names of what lacks stay */
        return stepped ? "fmiInstantiateSlave" : "fmiInstantiateModel";
    return library->version == 2 ? missing_2(library, stepped) : missing_3(library, stepped);
}

void *library_function(const char *path, const char *name, char *problem, size_t size)
{
    void *const handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *const found = handle ? dlsym(handle, name) : NULL;
    if (!found)
        snprintf(problem, size, "%s", handle ? "a function is missing" : dlerror());
    return found;
}

void library_close(Library *library)
{
    if (library && library->handle)
        dlclose(library->handle);
    if (library)
        free(library->fmi1);
    free(library);
}
