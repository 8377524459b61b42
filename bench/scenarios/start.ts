import type { BenchServer } from "../bench-server.js";
import { measureStart, START_LATENCY_MS, type StartFigures } from "../start/measure-start.js";
import { measureWeight } from "../start/measure-weight.js";
import type { PerSubject } from "../subjects.js";
import type { AmountScenario } from "./scenario.js";

/** The amounts that have a target, by the name in the report. */
export const START_AMOUNTS = {
  installed: "installed: the package, MB",
  bundle: "bundle: an application that imports the saver, minified, kB",
  loadedAtOnce: "bundle: the part that loads at once, kB",
  uploaded: "bundle: compressed, kB",
  imported: "start: import, ms",
  process: "start: a process that makes one run, ms",
  distant: `start: a process that makes one run, ${START_LATENCY_MS} ms each way, ms`,
} as const;

/** What a saver weighs, and how fast a process with it starts. */
export const start: AmountScenario = {
  name: "start",
  observe: async (subject, server, { quick }) => {
    const { installed, bundle, loadedAtOnce, uploaded } = await measureWeight(subject);
    const { importMs, processMs, distantMs } = (await inTurns(server, quick ? 1 : 15))[subject.id];
    return [
      { name: START_AMOUNTS.installed, amount: installed / 1e6 },
      { name: START_AMOUNTS.bundle, amount: bundle / 1e3 },
      { name: START_AMOUNTS.loadedAtOnce, amount: loadedAtOnce / 1e3 },
      { name: START_AMOUNTS.uploaded, amount: uploaded / 1e3 },
      { name: START_AMOUNTS.imported, amount: importMs },
      { name: START_AMOUNTS.process, amount: processMs },
      { name: START_AMOUNTS.distant, amount: distantMs },
    ];
  },
};

let measured: Promise<PerSubject<StartFigures>> | undefined;

/** Measures both savers when the first of them is asked for, since they take turns. */
function inTurns(server: BenchServer, rounds: number): Promise<PerSubject<StartFigures>> {
  measured ??= measureStart(server, rounds);
  return measured;
}
