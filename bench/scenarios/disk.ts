import type { BenchDatabase, BenchServer } from "../bench-server.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import type { Saver, Subject } from "../subjects.js";
import { withSaver } from "../with-saver.js";
import { conversation, document } from "./sample-data.js";
import type { Amount, AmountScenario } from "./scenario.js";

/** A history that is stored as a graph would store it, checkpoint by checkpoint. */
interface History {
  readonly name: string;
  /** The channels that change with each checkpoint. */
  readonly steps: readonly Readonly<Record<string, unknown>>[];
}

/** The disk space that the same history takes. */
export const disk: AmountScenario = {
  name: "disk",
  observe: async (subject, server, { quick }) => {
    const amounts = [];
    for (const history of [growing(quick ? 5 : 100), sharing(quick ? 5 : 400)]) {
      amounts.push(await sizeOf(history, subject, server));
    }
    return amounts;
  },
};

function growing(length: number): History {
  const messages = conversation(length);
  return {
    name: `a conversation that grows by 1 kB in each of ${length} steps`,
    steps: messages.map((_, index) => ({ messages: messages.slice(0, index + 1) })),
  };
}

function sharing(length: number): History {
  const large = { document: document(200) };
  return {
    name: `${length} checkpoints sharing 200 kB`,
    steps: Array.from({ length }, (_, n) => ({ ...(n === 0 ? large : {}), step: { n } })),
  };
}

async function sizeOf({ name, steps }: History, subject: Subject, server: BenchServer): Promise<Amount> {
  const database = await server.emptyDatabase();
  try {
    await withSaver(subject, database.source, (saver) => store(saver, steps));
    await database.exec("vacuum analyze");
    return { name: `on disk: ${name}, MB`, amount: (await tablesBytes(database)) / 1e6 };
  } finally {
    await database.giveBack();
  }
}

async function store(saver: Saver, steps: History["steps"]): Promise<void> {
  let last;
  for (const values of steps) {
    last = await putValues(saver, last?.config ?? threadConfig(newThread()), values, last?.checkpoint);
  }
}

/** Returns the size of all tables with their indexes. */
export async function tablesBytes(database: BenchDatabase): Promise<number> {
  const [row] = await database.query<{ bytes: string }>(TABLES_SIZE);
  return Number(row?.bytes);
}

const TABLES_SIZE =
  "select sum(pg_total_relation_size(oid)) as bytes from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace";
