// Counts the instructions that a program executes on all its threads: a plugin for QEMU's user emulation. `run.sh
// instructions` builds it. It declares the functions of QEMU's plugin interface that it uses
// (https://www.qemu.org/docs/master/devel/tcg-plugins.html), because Debian's packages have no header for them.
#include <inttypes.h>
#include <stdio.h>

typedef uint64_t plugin_id;
struct block;

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, void (*translated)(plugin_id, struct block *));
void qemu_plugin_register_vcpu_tb_exec_inline(struct block *, int operation, void *counter, uint64_t by);
void qemu_plugin_register_atexit_cb(plugin_id, void (*exited)(plugin_id, void *), void *);
size_t qemu_plugin_tb_n_insns(const struct block *);

int qemu_plugin_version = 1;

static uint64_t executed;

static void translated(plugin_id id, struct block *block) {
    const int add = 0;
    qemu_plugin_register_vcpu_tb_exec_inline(block, add, &executed, qemu_plugin_tb_n_insns(block));
}

static void exited(plugin_id id, void *unused) { fprintf(stderr, "instructions %" PRIu64 "\n", executed); }

int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv) {
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, exited, NULL);
    return 0;
}
