import { describe, test } from "@jest/globals";
import { describeServer, type Target } from "../support/targets.js";
import { installedPgBouncer } from "./pgbouncer.js";

const version = await installedPgBouncer();

/**
 * Runs a suite on the server where PgBouncer is installed. Elsewhere it is skipped, and one line says so.
 *
 * @throws where the environment variable `CI` is `true` and there is no PgBouncer: a gate that skips proves nothing
 */
export function describePgBouncer(name: string, body: (target: Target<string>) => void): void {
  if (version !== undefined) {
    describeServer(`${name} through ${version}`, body);
    return;
  }
  if (process.env.CI === "true") throw new Error("PgBouncer is not installed: apt-get install pgbouncer");
  process.stdout.write(`Skipped, as PgBouncer is not installed: ${name}\n`);
  describe(name, () => {
    test.skip("through PgBouncer", () => undefined);
  });
}
