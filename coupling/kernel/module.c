/* What makes the kernel importable; its functions are called through ctypes, which needs no more than the loaded library. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_core", NULL, -1, NULL, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__core(void)
{
    return PyModule_Create(&definition);
}
