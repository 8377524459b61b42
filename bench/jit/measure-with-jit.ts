import { type BenchServer, startInstalledServer } from "../bench-server.js";
import { DIRECT } from "../measure/route.js";
import { type CaseResult, runCase } from "../measure/run-case.js";
import { plainGetTuple } from "../scenarios/get-tuple.js";
import { plainPut } from "../scenarios/put.js";
import type { Size, TimedCase } from "../scenarios/scenario.js";
import { measureSmallRuns } from "../small-runs/measure-small-runs.js";
import { smallRunCases } from "../small-runs/small-run-cases.js";
import { OURS, SPLICED, type Subject } from "../subjects.js";

/** What both savers do on a server with JIT, where the time of a read depends on what the server expects it to cost. */
export interface JitCase {
  readonly name: string;
  readonly run: (server: BenchServer) => Promise<CaseResult[]>;
}

/** The cases, in the order of the report. */
export function jitCases(size: Size): JitCase[] {
  const reads = plainGetTuple.cases(size);
  return [
    ...plainPut.cases(size).map((put) => jitCase(put)),
    ...reads.map((read) => jitCase(read)),
    ...reads.map((read) =>
      // The read of splices is the one that the planner expects to cost most.
      jitCase({ ...read, name: `${read.name}, ours with \`splices\`` }, { ...OURS, ...SPLICED }),
    ),
    ...smallRunCases(size)
      .slice(0, 1)
      .map((runs) => {
        const name = nameOf(runs);
        return { name, run: (server: BenchServer) => measureSmallRuns({ ...runs, name }, server, [DIRECT]) };
      }),
  ];
}

function jitCase(timedCase: TimedCase, ours?: Subject): JitCase {
  const name = nameOf(timedCase);
  const compared = { ...timedCase, name, floor: false };
  return { name, run: (server) => runCase(compared, server, [DIRECT], ours) };
}

function nameOf({ name }: { readonly name: string }): string {
  return `with JIT: ${name}`;
}

/** A server with JIT, which the first case starts. Nothing is measured where the machine has none. */
export class JitServer {
  #server: BenchServer | undefined;

  async run({ run }: JitCase): Promise<CaseResult[]> {
    this.#server ??= await startInstalledServer();
    return this.#server === undefined ? [] : run(this.#server);
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
  }
}
