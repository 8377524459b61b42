import { fork } from "node:child_process";
import { once } from "node:events";
import { z } from "zod";
import type { BenchServer } from "../bench-server.js";
import { startDelayProxy } from "../latency/start-delay-proxy.js";
import { summarize } from "../measure/statistics.js";
import { programBeside } from "../program-beside.js";
import { ofEach, type PerSubject, type Subject } from "../subjects.js";
import { withSaver } from "../with-saver.js";

/** How far away the server is, one way, in milliseconds. */
export const START_LATENCY_MS = 10;

/** Medians, in milliseconds. */
export interface StartFigures {
  readonly importMs: number;
  /** From the start of the process to its end, with a run on a server beside it. */
  readonly processMs: number;
  /** The same with {@link START_LATENCY_MS} of network each way. */
  readonly distantMs: number;
}

const Sent = z.tuple([z.number()]).rest(z.unknown());

/** Starts processes of both savers, one after the other, on databases that have their tables. */
export async function measureStart(server: BenchServer, rounds: number): Promise<PerSubject<StartFigures>> {
  const databases = await ofEach(() => server.emptyDatabase());
  const proxy = await startDelayProxy(databases.ours.source, START_LATENCY_MS);
  try {
    await ofEach((subject) => withSaver(subject, databases[subject.id].source, () => Promise.resolve()));
    const times: PerSubject<Times> = { ours: newTimes(), official: newTimes() };
    for (let round = 0; round < rounds; round++) {
      await ofEach(async (subject) => {
        const { source } = databases[subject.id];
        const { imports, local, distant } = times[subject.id];
        imports.push((await startProcess(subject)).importMs);
        local.push((await startProcess(subject, source)).processMs);
        distant.push((await startProcess(subject, proxy.via(source))).processMs);
      });
    }
    return { ours: figuresOf(times.ours), official: figuresOf(times.official) };
  } finally {
    await proxy.stop();
    await ofEach(({ id }) => databases[id].giveBack());
  }
}

interface Times {
  readonly imports: number[];
  readonly local: number[];
  readonly distant: number[];
}

function newTimes(): Times {
  return { imports: [], local: [], distant: [] };
}

function figuresOf({ imports, local, distant }: Times): StartFigures {
  return {
    importMs: summarize(imports).medianMs,
    processMs: summarize(local).medianMs,
    distantMs: summarize(distant).medianMs,
  };
}

async function startProcess(
  { packageName }: Subject,
  ...url: string[]
): Promise<{ importMs: number; processMs: number }> {
  const { path, execArgv } = programBeside(import.meta.url, "start-process");
  const start = performance.now();
  const child = fork(path, [packageName, ...url], { execArgv: [...execArgv] });
  const [sent] = await Promise.all([once(child, "message"), once(child, "close")]);
  if (child.exitCode !== 0) throw new Error(`the process ended with ${child.exitCode}`);
  const [importMs] = Sent.parse(sent);
  return { importMs, processMs: performance.now() - start };
}
