import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import type { Report } from "../../examples/service/load/tally.js";
import { withoutNodeOptions } from "../../test-support/without-node-options.js";
import { TOKEN } from "./service-process.js";

/** A load under way. */
export interface LoadProcess {
  /** Resolves when the load has ended. */
  readonly report: Promise<Report>;
  kill(): void;
}

/** Starts the load of the example. */
export function startLoad(program: string, args: readonly string[]): LoadProcess {
  const child = spawn(process.execPath, [program, ...args, "--json"], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...withoutNodeOptions(), INSPECTOR_TOKEN: TOKEN },
  });
  const report = Promise.all([text(child.stdout), once(child, "close")]).then(
    ([output]) => JSON.parse(output) as Report,
  );
  return { report, kill: () => child.kill("SIGKILL") };
}
