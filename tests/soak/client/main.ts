/**
 * A service with many users: each makes one turn after the other on threads of its own. It may be killed or stopped at any moment; the next
 * process continues with the same users and threads.
 */
import { inspect } from "node:util";
import { JournalFile, readJournal } from "../../chaos/journal/journal-file.js";
import { Random } from "../../chaos/random.js";
import type { SoakEntry, UntimedSoakEntry } from "../laws/soak-entry.js";
import { SoakHistory } from "../laws/soak-history.js";
import { openServices } from "./open-service.js";
import { type Explanation, parseSoakClientOptions, type SoakOrder } from "./soak-client-options.js";
import { User } from "./user.js";

const MEASURE_MS = 10_000;

const options = parseSoakClientOptions(process.argv[2]);
const before = SoakHistory.of(readJournal<SoakEntry>(options.journal));
const journal = new JournalFile<UntimedSoakEntry>(options.journal);
const opened = await openServices(options);
const random = new Random(options.seed);
const stopping = new AbortController();
let actions = 0;

const note = (entry: UntimedSoakEntry): void => {
  journal.add(entry);
};
process.on("unhandledRejection", (reason) => {
  note({ type: "violation", text: `process ${options.process}: unhandled rejection: ${inspect(reason)}` });
});
process.on("message", (order: SoakOrder) => {
  if (order === "finish") stopping.abort();
  else void explain().then((explanation) => process.send?.(explanation));
});
setInterval(() => {
  globalThis.gc?.();
  note({ type: "memory", process: options.process, bytes: process.memoryUsage().heapUsed });
}, MEASURE_MS).unref();

const users = options.users.map(
  (number) =>
    new User({
      ...{ number, opened, note, before, archive: options.archive, random: random.fork() },
      nextAction: () => `${options.process}-${actions++}`,
    }),
);
process.send?.("started");
await Promise.all(users.map((user) => user.live(stopping.signal)));
await opened.end();
journal.close();
if (process.connected) process.disconnect();

async function explain(): Promise<Explanation> {
  const states = await Promise.all(
    opened.services.map(({ saver }) => saver.health({ signal: AbortSignal.timeout(2_000) })),
  );
  return { pool: states[0]?.pool, waiting: states.flatMap(({ waiting }) => waiting) };
}
