"""Names of the standard library of C: a declaration of a tree is meant only where it is seen."""

from __future__ import annotations

from typing import Final

STANDARD: Final = frozenset(
    """
    abort abs acos acosf aligned_alloc asctime asin asinf assert atan atan2 atan2f atanf atexit atof
    atoi atol atoll bsearch calloc ceil ceilf clearerr clock cos cosf cosh ctime difftime div errno
    exit exp expf fabs fabsf fclose feof ferror fflush fgetc fgetpos fgets floor floorf fmax fmin
    fmod fmodf fopen fprintf fputc fputs fread free freopen frexp fscanf fseek fsetpos ftell fwrite
    getc getchar getenv gets gmtime isalnum isalpha isblank iscntrl isdigit isfinite isgraph isinf
    islower isnan isprint ispunct isspace isupper isxdigit labs ldexp ldiv llabs localtime log log10
    log2 logf longjmp malloc mblen mbstowcs mbtowc memchr memcmp memcpy memmove memset mktime modf
    perror pow powf printf putc putchar puts qsort raise rand realloc remove rename rewind round
    roundf scanf setbuf setjmp setlocale setvbuf signal sin sinf sinh snprintf sprintf sqrt sqrtf
    srand sscanf strcat strchr strcmp strcoll strcpy strcspn strerror strftime strlen strncat
    strncmp strncpy strpbrk strrchr strspn strstr strtod strtof strtok strtol strtold strtoll
    strtoul strtoull strxfrm system tan tanf tanh time tmpfile tmpnam tolower toupper trunc ungetc
    va_arg va_copy va_end va_start vfprintf vprintf vsnprintf vsprintf wcscmp wcscpy wcslen
    alloca fdopen fileno fseeko fsync ftello ftruncate getopt gettimeofday isatty mkdir mmap munmap
    nanosleep pclose popen select sigaction stat strcasecmp strdup strncasecmp strndup strnlen
    strptime strsignal strtok_r unlink unsetenv usleep setenv
    """.split()  # noqa: SIM905 a list of words reads better
)
