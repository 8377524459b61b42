/**
 * A service under load: it drives many threads at once, with fewer connections than threads. Half of them use a saver with
 * splices, and half of them one of the CommonJS build, chosen by the seed. Its clock may be behind. It records each call in the journal before and after. It may be killed at any moment; the next process continues with its threads.
 */
import { inspect } from "node:util";
import { History } from "../checker/history.js";
import { JournalFile, readJournal } from "../journal/journal-file.js";
import type { UntimedEntry } from "../journal/entry.js";
import { Random } from "../random.js";
import { type ClientOrder, parseClientOptions } from "./client-options.js";
import { countConnections } from "./counting-pool.js";
import { driveSlot } from "./drive-slot.js";
import { exhaustPool } from "./exhaust-pool.js";
import type { Operation } from "./operation.js";
import { openSavers } from "./open-saver.js";
import { setClockBack } from "./set-clock-back.js";
import { Slot } from "./slot.js";

const options = parseClientOptions(process.argv[2]);
const history = History.of(readJournal(options.journal));
const journal = new JournalFile(options.journal);
const { openers, pool } = await openSavers(options);
const shared = openers.map((open) => ({ open, saver: open() }));
const stopping = new AbortController();
const random = new Random(options.seed + options.generation);
let calls = 0;

// An unhandled rejection would end the process, and hide later ones. The handler counts it instead.
process.on("unhandledRejection", (reason) => {
  note({ type: "process", event: "unhandledRejection", detail: describe(reason) });
});
process.on("uncaughtExceptionMonitor", (error) => {
  note({ type: "process", event: "uncaughtException", detail: describe(error) });
});
process.on("message", (order: ClientOrder) => {
  if (order.order === "stop") stopping.abort();
  else void exhaustPool(pool, order.forMs).then(() => process.send?.("exhausted"));
});

note({ type: "process", event: "started", detail: `${options.saver}, generation ${options.generation}` });
process.send?.("started");
if (options.clockBehindMs !== undefined) setClockBack(history, options.clockBehindMs);
const slots = Array.from({ length: options.slots }, (_, i) => new Slot(i, history, random.fork()));
await Promise.all(
  slots.map((slot) =>
    driveSlot({
      ...{ ...slot.random.pick(shared), slot, perform: performFor(slot) },
      ...{ forks: options.forks, stop: stopping.signal },
    }),
  ),
);
note({ type: "process", event: "stopped", detail: "" });
await pool.end();
journal.close();
if (process.connected) process.disconnect();

function note(entry: UntimedEntry): void {
  history.apply(journal.add(entry));
}

function performFor(slot: Slot): (operation: Operation) => Promise<boolean> {
  return async (operation) => {
    const op = `${options.generation}-${calls++}`;
    const { kind, changes } = operation;
    note({ type: "intent", op, kind, slot: slot.number, thread: slot.thread, ...changes });
    try {
      const { result, connections } = await countConnections(() => operation.run());
      const { newest = "" } = slot.known;
      const hidden = changes.puts.filter(({ id }) => id < newest);
      for (const { id } of hidden)
        note({
          type: "violation",
          op,
          text: `stored ${id}, which is older than ${newest}: no later read of the newest sees it`,
        });
      for (const text of result.violations ?? []) note({ type: "violation", op, text });
      note({ type: "ack", op, attempts: connections, seen: result.seen ?? [] });
      operation.done?.();
      return true;
    } catch (error) {
      note({ type: "fail", op, error: describe(error) });
      operation.failed?.();
      return false;
    }
  };
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return inspect(error, { depth: 1 });
  const codes = ["code", "sqlState"].flatMap((key) => {
    const value: unknown = Reflect.get(error, key);
    return typeof value === "string" ? [` ${value}`] : [];
  });
  return `${error.name}${codes.join("")}: ${error.message}`;
}
