// Makes calls of the system fail, for a program that is started with this library preloaded.
//
//   FAULTS_IN     only calls for files in this folder are counted and fail
//   FAULTS_OF     only calls of this name; `fsync-folder` is an fsync of a folder
//   FAULTS_FROM   the first call that fails, counted from 0
//   FAULTS        the number of calls that fail
//   FAULTS_ERROR  the number of the error; 0: the calls have no answer before FAULTS_END
//   FAULTS_END    no call fails while this file exists
//   FAULTS_COUNT  a file that gets the number of calls at the end
//
// The program makes some calls without the C library. So the kernel sends a signal for each call, and the handler of the
// signal makes the call. It marks its own calls with a sixth argument, which none of them needs. The exit status is 77
// where the kernel does not do this.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define MARK 0x6e717565u
#if defined(__x86_64__)
enum { CALL = REG_RAX, RESULT = REG_RAX };
static const int arguments[5] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8};
#define WORD(context, number) ((context)->uc_mcontext.gregs[number])
#elif defined(__aarch64__)
enum { CALL = 8, RESULT = 0 };
static const int arguments[5] = {0, 1, 2, 3, 4};
#define WORD(context, number) ((context)->uc_mcontext.regs[number])
#endif

// Which argument tells the file.
enum kind { FILE_NUMBER, FOLDER_AND_PATH, PATH_ONLY };
#define ENTRY(name, kind) {SYS_##name, kind, #name}
static const struct { long call; enum kind kind; const char *name; } calls[] = {
    ENTRY(openat, FOLDER_AND_PATH), ENTRY(read, FILE_NUMBER), ENTRY(write, FILE_NUMBER), ENTRY(fsync, FILE_NUMBER),
    ENTRY(fdatasync, FILE_NUMBER), ENTRY(getdents64, FILE_NUMBER), ENTRY(renameat2, FOLDER_AND_PATH),
    ENTRY(linkat, FOLDER_AND_PATH), ENTRY(unlinkat, FOLDER_AND_PATH), ENTRY(statx, FOLDER_AND_PATH),
    ENTRY(newfstatat, FOLDER_AND_PATH), ENTRY(mkdirat, FOLDER_AND_PATH),
#ifdef SYS_open
    ENTRY(open, PATH_ONLY), ENTRY(rename, PATH_ONLY), ENTRY(link, PATH_ONLY), ENTRY(unlink, PATH_ONLY),
    ENTRY(stat, PATH_ONLY), ENTRY(lstat, PATH_ONLY), ENTRY(mkdir, PATH_ONLY),
#endif
};
enum { CALLS = sizeof calls / sizeof *calls };

static const char *folder, *only, *end, *counted_in;
static long first_fault, faults, error, count;

static long marked(long call, long a, long b, long c, long d, long e) { return syscall(call, a, b, c, d, e, (long)MARK); }

static int is_in_folder(enum kind kind, long one, long two) {
    const char *path = kind == PATH_ONLY ? (const char *)one : (const char *)two;
    // A path relative to an open folder is looked up by that folder.
    if (kind == PATH_ONLY || (kind == FOLDER_AND_PATH && path && (*path == '/' || (int)one == AT_FDCWD)))
        return strstr(path, folder) != NULL;
    char link[64], target[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", (int)one);
    long length = readlink(link, target, sizeof target - 1);
    if (length <= 0) return 0;
    target[length] = 0;
    return strstr(target, folder) != NULL;
}

static int is_meant(int place, long file) {
    if (!only) return 1;
    if (strcmp(only, "fsync-folder")) return !strcmp(only, calls[place].name);
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d/.", (int)file);
    return calls[place].call == SYS_fsync && !access(link, F_OK);
}

static void on_call(int signal, siginfo_t *info, void *at) {
    (void)signal;
    (void)info;
    ucontext_t *context = at;
    long call = WORD(context, CALL), words[5];
    for (int word = 0; word < 5; word++) words[word] = WORD(context, arguments[word]);
    int before = errno;
    int place = 0;
    while (calls[place].call != call) place++;
    if (is_meant(place, words[0]) && is_in_folder(calls[place].kind, words[0], words[1])) {
        long number = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
        if (number >= first_fault && number - first_fault < faults && (!end || access(end, F_OK))) {
            while (!error && access(end, F_OK)) usleep(10000);
            if (error) {
                errno = before;
                WORD(context, RESULT) = -error;
                return;
            }
        }
    }
    long result = marked(call, words[0], words[1], words[2], words[3], words[4]);
    WORD(context, RESULT) = result == -1 ? -errno : result;
    errno = before;
}

static void tell(void) {
    FILE *file = counted_in ? fopen(counted_in, "w") : NULL;
    if (file) fprintf(file, "%ld", count), fclose(file);
}

static long number_of(const char *name) { return getenv(name) ? atol(getenv(name)) : 0; }

__attribute__((constructor)) static void begin(void) {
    folder = getenv("FAULTS_IN");
    if (!folder) return;
    only = getenv("FAULTS_OF");
    end = getenv("FAULTS_END");
    counted_in = getenv("FAULTS_COUNT");
    first_fault = number_of("FAULTS_FROM");
    faults = number_of("FAULTS");
    error = number_of("FAULTS_ERROR");
    struct sigaction action = {.sa_sigaction = on_call, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
    sigaction(SIGSYS, &action, NULL);
    struct sock_filter program[2 * CALLS + 8];
    int length = 0;
    // The low half of the sixth argument.
    program[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[5]));
    program[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MARK, 0, 1);
    program[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    program[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int place = 0; place < CALLS; place++) {
        program[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[place].call, 0, 1);
        program[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    }
    program[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog filter = {.len = (unsigned short)length, .filter = program};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) {
        _exit(77);
    }
    atexit(tell);
}
