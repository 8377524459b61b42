import { postgresWithJit } from "../../../test-support/postgres-with-jit.js";
import type { Place } from "../place.js";
import { openEmbeddedServer } from "./embedded.js";

export const withJit: Place = {
  name: "Debian's PostgreSQL",
  kind: "Servers and poolers",
  packages: {},
  tried: {},
  notes:
    "It compiles expensive statements by LLVM (`jit`), which can stay on: no statement of the package is that expensive.",
  openServer: async () => {
    const installed = postgresWithJit();
    return installed === undefined ? undefined : openEmbeddedServer(installed);
  },
  trials: { "with JIT": (project) => project.node("main.mjs") },
};
