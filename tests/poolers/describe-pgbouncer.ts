import { describe, test } from "@jest/globals";
import { describeServer, type Target } from "../../test-support/targets.js";
import { installedPgBouncer } from "./pgbouncer.js";

const version = await installedPgBouncer();

/**
 * Runs a suite on the server if PgBouncer is installed. Otherwise it skips the suite and prints one line.
 *
 * @throws if the environment variable `CI` is `true` and PgBouncer is missing: a gate must not skip.
 */
export function describePgBouncer(name: string, body: (target: Target<string>) => void): void {
  if (version !== undefined) {
    describeServer(`${name} through ${version}`, body);
    return;
  }
  if (process.env.CI === "true") throw new Error("PgBouncer is not installed: apt-get install pgbouncer");
  process.stdout.write(`Skipped because PgBouncer is not installed: ${name}\n`);
  describe(name, () => {
    test.skip("through PgBouncer", () => undefined);
  });
}
