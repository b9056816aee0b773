#!/usr/bin/env node
// Starts the binary of this platform, which is in an optional dependency of this package.
"use strict";
const { spawnSync } = require("node:child_process");

const platform = `${process.platform}-${process.arch}`;
const name = `cerberus-memory-${platform}`;
const program = process.platform === "win32" ? "cerberus.exe" : "cerberus";

let binary;
try {
  binary = require.resolve(`${name}/bin/${program}`);
} catch {
  console.error(`cerberus: the package ${name} is not installed`);
  console.error(
    "hint: install without --omit=optional; if your platform has no package, " +
      "build cerberus with `cargo install --locked --features all-languages cerberus-memory`",
  );
  process.exit(3);
}

const ended = spawnSync(binary, process.argv.slice(2), { stdio: "inherit" });
if (ended.error) {
  console.error(`cerberus: failed to start ${binary}: ${ended.error.message}`);
  process.exit(3);
}
if (ended.signal) process.kill(process.pid, ended.signal);
process.exitCode = ended.status ?? 3;
