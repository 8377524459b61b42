import { setTimeout as sleep } from "node:timers/promises";
import { exhaustConnections } from "../chaos/faults/client-faults.js";
import type { Fault } from "../chaos/faults/fault.js";
import { FAULTS } from "../chaos/faults/index.js";
import type { ServiceProcess } from "./service-process.js";

/** Stops processes of the service for a while, as a machine does that is short of memory. They hold locks of threads meanwhile. */
export function pauseOf(processes: readonly ServiceProcess[]): Fault {
  return {
    name: "a process of the service paused by SIGSTOP",
    inject: async ({ random }) => {
      const paused = random.pick(processes);
      paused.signal("SIGSTOP");
      await sleep(random.between(1_000, 5_000));
      paused.signal("SIGCONT");
      return undefined;
    },
  };
}

/** Ends a process of the service as a deployment does, and starts another one. */
export function redeployOf(service: ServiceProcess): Fault {
  return {
    name: "a process of the service ended by SIGTERM",
    inject: async () => {
      const code = await service.end("SIGTERM");
      if (code !== 0) service.exits.push(`exit code ${code ?? "?"} after SIGTERM`);
      await service.start();
      return undefined;
    },
  };
}

/** The faults of chaos, all but the one that needs a program of its own, and those of `own`, with a text in their names. */
export function faultsNamed(text: string, own: readonly Fault[]): readonly Fault[] {
  const all = [...FAULTS.filter((fault) => fault !== exhaustConnections), ...own];
  const found = all.filter(({ name }) => name.includes(text));
  if (found.length === 0) throw new Error(`--only: no fault has "${text}" in its name`);
  return found;
}
