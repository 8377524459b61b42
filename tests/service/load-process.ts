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
  const report = Promise.all([text(child.stdout), once(child, "close")]).then(([output, [code, signal]]) => {
    if (output === "") throw new Error(`the load has ended without a report: ${String(code ?? signal)}`);
    return JSON.parse(output) as Report;
  });
  // Where a fault fails, the load is killed, and nobody asks for its report.
  report.catch(() => undefined);
  return { report, kill: () => child.kill("SIGKILL") };
}
