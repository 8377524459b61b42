import type { BenchServer } from "../bench-server.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { measureMemory } from "../memory/measure-memory.js";
import type { MemoryFigures } from "../memory/memory-task.js";
import type { Saver, Subject } from "../subjects.js";
import { withSaver } from "../with-saver.js";
import { channels, document } from "./sample-data.js";
import type { Amount, AmountScenario } from "./scenario.js";

interface Thread {
  readonly length: number;
  readonly label: string;
  /** The values that change in each checkpoint. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly kind: "load" | "list";
}

/** The memory of a process that reads a long thread and keeps nothing of it. */
export const memory: AmountScenario = {
  name: "memory",
  observe: async (subject, server, { quick }) => {
    const amounts = [];
    for (const thread of threads(quick)) amounts.push(...(await amountsOf(thread, subject, server, quick)));
    return amounts;
  },
};

function threads(quick: boolean): Thread[] {
  const small: Thread = { length: quick ? 10 : 1_000, label: "10 kB", values: channels(5), kind: "load" };
  const long: Thread[] = [
    { length: 1_000, label: "200 kB", values: { document: document(200) }, kind: "list" },
    { length: 200, label: "1 MB", values: { document: document(1_000) }, kind: "list" },
  ];
  return quick ? [small] : [small, ...long];
}

async function amountsOf(
  thread: Thread,
  subject: Subject,
  server: BenchServer,
  quick: boolean,
): Promise<Amount[]> {
  const database = await server.emptyDatabase();
  try {
    const id = await withSaver(subject, database.source, (saver) => store(saver, thread));
    await database.exec("vacuum analyze");
    const { kind, length: checkpoints, label } = thread;
    const task = { subject: subject.id, url: database.source, thread: id, kind, checkpoints };
    const figures = await measureMemory(task, { quick });
    // For the other saver this is a finding, for ours a defect.
    if (subject.id === "ours" && typeof figures === "string") throw new Error(figures);
    return named(`${DONE[kind]} ${checkpoints} × ${label}`, figures);
  } finally {
    await database.giveBack();
  }
}

const DONE = { list: "list() of", load: "getTuple of each of" };

async function store(saver: Saver, { length, values }: Thread): Promise<string> {
  const thread = newThread();
  let last = await putValues(saver, threadConfig(thread), values);
  for (let n = 1; n < length; n++) last = await putValues(saver, last.config, values, last.checkpoint);
  return thread;
}

function named(what: string, figures: MemoryFigures | string): Amount[] {
  const of = (pick: (figures: MemoryFigures) => number) =>
    typeof figures === "string" ? figures : pick(figures);
  return [
    { name: `memory: ${what}, peak, MB`, amount: of(({ peak }) => peak) },
    { name: `memory: ${what}, peak above idle, MB`, amount: of(({ idle, peak }) => peak - idle) },
  ];
}
