#!/usr/bin/env python3
"""Packs the files that scripts/release.sh has built. It runs on all systems, whose tar, zip and checksum tools differ.

It reads names and folders from the binstall section of the package's Cargo.toml. Two archives of one commit are equal byte by byte:
files are sorted, owned by root, and have the time of the commit.
"""

import argparse
import gzip
import hashlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import time
import zipfile

# Linked into every program beside the crates, or into those for the target named.
ALSO_LINKED = [
    ("", "Rust's standard library: MIT OR Apache-2.0, copyright The Rust Project contributors"),
    ("musl", "musl libc: MIT, copyright 2005-2020 Rich Felker and others"),
]
LICENCE_FILES = ("licen", "copying", "notice", "copyright", "unlicense")


def fail(sentence):
    sys.exit(f"error: {sentence}")


def output(*command):
    try:
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
    except FileNotFoundError:
        fail(f"there is no {command[0]}: install it first")
    except subprocess.CalledProcessError as error:
        fail(f"'{' '.join(command)}' ended with status {error.returncode}")


def metadata(target):
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target]
    return json.loads(output(*command))


def own(meta, name):
    return next(package for package in meta["packages"] if package["name"] == name)


def binary(package):
    return next(target["name"] for target in package["targets"] if "bin" in target["kind"])


class Names:
    """What binstall looks for: the archive, the folder in it, and the program there."""

    def __init__(self, package, target):
        binstall = package["metadata"]["binstall"]
        binstall = {**binstall, **binstall.get("overrides", {}).get(target, {})}
        values = {
            "name": package["name"],
            "version": package["version"],
            "target": target,
            "bin": binary(package),
            "binary-ext": ".exe" if "windows" in target else "",
            "repo": "",
        }

        def filled(template):
            for name, value in values.items():
                template = template.replace("{ " + name + " }", value)
            if "{" in template:
                fail(f"nobody knows what to put into '{template}', which its Cargo.toml has for binstall")
            return template

        self.archive = filled(binstall["pkg-url"]).rsplit("/", 1)[1]
        self.folder, self.program = filled(binstall["bin-dir"]).split("/")


def linked(meta, root):
    """The crates that the program is made of, those that only build it left out."""
    nodes = {node["id"]: node for node in meta["resolve"]["nodes"]}
    packages = {package["id"]: package for package in meta["packages"]}
    found, left = set(), [root]
    while left:
        for dep in nodes[left.pop()]["deps"]:
            is_macro = any("proc-macro" in target["kind"] for target in packages[dep["pkg"]]["targets"])
            is_linked = any(kind["kind"] is None for kind in dep["dep_kinds"]) and not is_macro
            if is_linked and dep["pkg"] not in found:
                found.add(dep["pkg"])
                left.append(dep["pkg"])
    return sorted((packages[package] for package in found), key=lambda package: (package["name"], package["version"]))


def third_party(meta, package, target):
    """Every crate with its licence, then each text of a licence once, with the crates that it came with."""
    lines = ["What the program contains beside its own code, and under which licences.", ""]
    lines += [text for part, text in ALSO_LINKED if part in target]
    texts = {}
    for package in linked(meta, package["id"]):
        name = f"{package['name']} {package['version']}"
        lines.append(f"{name}: {package['license'] or 'see the text below'}")
        for file in sorted(pathlib.Path(package["manifest_path"]).parent.iterdir()):
            if file.is_file() and file.name.lower().startswith(LICENCE_FILES) and file.suffix != ".rs":
                text = file.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n").strip()
                texts.setdefault(text, []).append(name)
    for text, names in texts.items():
        lines += ["", "=" * 80, ", ".join(dict.fromkeys(names)), "", text]
    return ("\n".join(lines) + "\n").encode()


def commit_time():
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    return int(output("git", "log", "-1", "--format=%ct"))


def contents(args, meta, package, names):
    """The archive's files: name, bytes, and whether it is to be run."""
    files = [(names.program, pathlib.Path(args.program).read_bytes(), True)]
    for name in ("LICENSE-APACHE", "LICENSE-MIT", "CHANGELOG.md"):
        files.append((name, pathlib.Path(name).read_bytes(), False))
    readme = pathlib.Path(package["manifest_path"]).with_name("README.md")
    files.append(("README.md", readme.read_bytes(), False))
    files.append(("THIRD-PARTY.txt", third_party(meta, package, args.target), False))
    # The manual and the completions are those of `nqueens`.
    documents = pathlib.Path(args.documents)
    for file in documents.rglob("*") if names.program.startswith("nqueens") else ():
        if file.is_file():
            files.append((file.relative_to(documents).as_posix(), file.read_bytes(), False))
    return sorted(files)


def archive(args):
    meta = metadata(args.target)
    package = own(meta, args.package)
    names, when = Names(package, args.target), commit_time()
    out = pathlib.Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    path = out / names.archive
    files = contents(args, meta, package, names)
    if path.suffix == ".zip":
        # A zip file has no time zone: all of them are meant in that of Greenwich.
        date = max(time.gmtime(when)[:6], (1980, 1, 1, 0, 0, 0))
        with zipfile.ZipFile(path, "w") as packed:
            for name, data, _ in files:
                entry = zipfile.ZipInfo(f"{names.folder}/{name}", date)
                entry.compress_type = zipfile.ZIP_DEFLATED
                packed.writestr(entry, data, compresslevel=9)
    else:
        with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, when) as zipped:
            with tarfile.open(fileobj=zipped, mode="w", format=tarfile.USTAR_FORMAT) as packed:
                for name, data, is_run in files:
                    entry = tarfile.TarInfo(f"{names.folder}/{name}")
                    entry.size, entry.mtime, entry.mode = len(data), when, 0o755 if is_run else 0o644
                    packed.addfile(entry, io.BytesIO(data))
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB, {len(files)} files")


def sums(args):
    """As sha256sum writes them, for all archives in the folder."""
    out = pathlib.Path(args.out)
    files = sorted(path for path in out.iterdir() if path.name.endswith((".tar.gz", ".zip")))
    if not files:
        fail(f"there are no archives in {out}: scripts/release.sh makes them")
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (out / "SHA256SUMS").write_bytes("".join(lines).encode())
    print(f"{out / 'SHA256SUMS'}: {len(files)} archives")


def unpack(args):
    """An archive that holds what SHA256SUMS says; prints where the program in it now is."""
    names = Names(own(metadata(args.target), args.package), args.target)
    path, sums = pathlib.Path(args.out) / names.archive, pathlib.Path(args.out) / "SHA256SUMS"
    if not path.exists() or not sums.exists():
        fail(f"there is no {path if sums.exists() else sums}")
    if f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" not in sums.read_text():
        fail(f"{path} is not what SHA256SUMS beside it says")
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as packed:
            packed.extractall(args.into)
    else:
        with tarfile.open(path) as packed:
            packed.extractall(args.into)
    print(pathlib.Path(args.into) / names.folder / names.program)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    tasks = parser.add_subparsers(required=True)
    for task, options in (
        (archive, ("package", "target", "program", "documents", "out")),
        (sums, ("out",)),
        (unpack, ("package", "target", "out", "into")),
    ):
        command = tasks.add_parser(task.__name__)
        command.set_defaults(task=task)
        for option in options:
            command.add_argument(f"--{option}", required=True)
    args = parser.parse_args()
    args.task(args)


main()
