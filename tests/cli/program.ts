import { access } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../package/consumer-project.js";

/** The program of the command line in the checkout. */
export const PROGRAM = join(ROOT, "bin", "langgraph-checkpoint-kysely.js");

/** The module that {@link PROGRAM} loads. */
export const BUILT = join(ROOT, "dist", "cli.cjs");

/** Fails without the build that {@link PROGRAM} needs. `npm test` builds first. */
export function expectBuild(): Promise<void> {
  return access(BUILT);
}
