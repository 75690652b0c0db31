#!/usr/bin/env bash
# Runs a program for x86-64 Linux on an emulated processor, for instruction sets that this machine lacks.
#
#   scripts/bochs.sh PROCESSOR PROGRAM [ARGUMENT...]
#
# `bochs --help cpu` lists the processors. Bochs starts Linux, whose only process is the program. The program finds one
# thread and no file except its libraries. What it prints, and its exit status, are those of this script. Bochs runs
# 20 to 50 million instructions a second, and its start takes half a minute, so it never shows how fast code is. Bochs
# has no display here: for a Bochs that was compiled with --with-nogui, set BOCHS_DISPLAY=nogui.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '/^#   /s/^#   //p' "$0" >&2; exit 2; }
processor=$1 program=$(realpath "$2")
cd "$(dirname "$0")/.."
. scripts/needs.sh
need_programs 'bochs busybox cpio xorriso' bochs bochs-term bochsbios vgabios busybox-static cpio xorriso
linux=$built/bochs/linux
if [ ! -e "$linux" ]; then
    install_packages isolinux syslinux-common >&2 || fail "Bochs needs a kernel: set INSTALL=1 to download one"
    rm -rf "$built/bochs" && mkdir "$built/bochs"
    (
        cd "$built/bochs"
        # The small kernels of Debian and of Ubuntu.
        name=$(apt-cache depends linux-image-cloud-amd64 linux-image-virtual 2>/dev/null |
            sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p')
        apt-get download -q "$name" >&2
        dpkg -x ./*.deb . && mv boot/vmlinuz-* linux
    )
fi
folder=$(mktemp -d) bochs=
trap '[ -z "$bochs" ] || kill -KILL "$bochs" 2>/dev/null || true; rm -rf "$folder"' EXIT

# The files that Linux starts with.
mkdir -p "$folder"/{root/proc,disk}
cp "$(command -v busybox)" "$folder/root/busybox"
cp "$program" "$folder/root/program"
ldd "$program" | grep -o '/[^ ]*' | xargs -r cp --dereference --parents --target-directory="$folder/root"
cat >"$folder/root/init" <<END
#!/busybox sh
/busybox mount -t proc proc /proc
{ /program $(printf '%q ' "${@:3}"); echo "exit status \$?"; } 2>&1 | /busybox cat
/busybox sleep 9
/busybox poweroff -f
END
chmod +x "$folder/root/init"
(cd "$folder/root" && find . | cpio --create --format=newc --quiet | gzip -1) >"$folder/disk/files"

# The disk. Linux has to ignore some features: protection keys (515, 516) and compact forms of registers (321, 323),
# whose sizes Bochs reports wrongly, so that Linux would not turn on AVX; and fast short copies (580), because Linux 6.1
# copies wrongly if a processor has them and no fast long copies.
cp "$linux" /usr/lib/ISOLINUX/isolinux.bin /usr/lib/syslinux/modules/bios/ldlinux.c32 "$folder/disk"
options="console=ttyS0,115200 quiet loglevel=2 panic=-1 reboot=t mitigations=off clearcpuid=321,323,515,516,580"
echo "DEFAULT linux initrd=files $options" >"$folder/disk/isolinux.cfg"
xorriso -as mkisofs -quiet -o "$folder/disk.iso" -b isolinux.bin -c catalog -no-emul-boot -boot-load-size 4 \
    -boot-info-table "$folder/disk" 2>/dev/null
cat >"$folder/settings" <<END
cpu: model=$processor, ips=50000000, reset_on_triple_fault=0
megs: 2048
ata0-master: type=cdrom, path=$folder/disk.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=/dev/fd/3
display_library: ${BOCHS_DISPLAY:-term}
clock: sync=none
panic: action=fatal
log: $folder/log
END
# The command is for Debian's Bochs, whose debugger waits for one.
exec {output}< <(TERM=vt100 exec bochs -q -f "$folder/settings" 3>&1 >/dev/null 2>&1 <<<c)
bochs=$! status=
while IFS= read -r line <&"$output"; do
    line=${line%$'\r'}
    case $line in "exit status "*) status=${line##* } && break ;; *) printf '%s\n' "$line" ;; esac
done
[ -n "$status" ] || fail "$program did not end on $processor"
exit "$status"
