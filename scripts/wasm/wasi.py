"""Runs a program compiled for wasm32-wasip1 with the package wasmtime: wasi.py PROGRAM ARGUMENTS..."""

import os
import sys

from wasmtime import Engine, ExitTrap, Linker, Module, Store, WasiConfig

system = WasiConfig()
system.argv = sys.argv[1:]
system.env = list(os.environ.items())
system.inherit_stdin()
system.inherit_stdout()
system.inherit_stderr()
engine = Engine()
store = Store(engine)
store.set_wasi(system)
linker = Linker(engine)
linker.define_wasi()
try:
    program = linker.instantiate(store, Module.from_file(engine, sys.argv[1]))
    program.exports(store)["_start"](store)
except ExitTrap as ended:
    sys.exit(ended.code)
