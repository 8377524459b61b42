import type { Check, Examination } from "./examination.js";
import { type Finding, findingsOf } from "./finding.js";

const { ok, warning } = findingsOf("settings");

/** The shortest acceptable idle timeout in a transaction that an application shares with a saver. */
const SHORTEST_PAUSE_MS = 1_000;

const IN_FILE = "set it to on in postgresql.conf, and reload the server";
/** The risk of each setting when it is off, and the remedy. */
const DURABILITY: Readonly<Record<string, readonly [risk: string, remedy: string]>> = {
  fsync: ["a crash of the machine can destroy the whole database", IN_FILE],
  full_page_writes: ["a crash of the machine can leave half-written pages", IN_FILE],
  synchronous_commit: [
    "a crash of the server loses the last acknowledged writes",
    "set it to on for the server, the database and the role",
  ],
};
const TIMEOUTS = ["statement_timeout", "transaction_timeout"] as const;
const PAUSE = "idle_in_transaction_session_timeout";

/** Checks settings of the server, the database or the role that lose acknowledged writes or end calls early. */
export const checkSettings: Check = {
  name: "settings",
  run: async (examination) => {
    const rows = await examination.db
      .selectFrom("pg_catalog.pg_settings")
      // The value at the start of the session, because `doctor` sets a timeout for its own statements.
      .select(["name", "reset_val as setting"])
      .where("name", "in", [...Object.keys(DURABILITY), ...TIMEOUTS, PAUSE])
      .orderBy("name")
      .execute();
    const settings = new Map(rows.map(({ name, setting }) => [name, setting]));
    const found = [...durabilityOf(settings, examination), ...timeoutsOf(settings, examination)];
    return found.length > 0 ? found : [ok("no setting loses writes or ends calls early")];
  },
};

type Settings = ReadonlyMap<string, string>;

function durabilityOf(settings: Settings, { isEmbedded }: Examination): Finding[] {
  // PGlite always runs without fsync, and users can't change that.
  if (isEmbedded) return [];
  return Object.entries(DURABILITY)
    .filter(([name]) => settings.get(name) === "off")
    .map(([name, [risk, remedy]]) => warning(`${name} is off: ${risk}`, remedy));
}

function timeoutsOf(settings: Settings, { limits }: Examination): Finding[] {
  const tooShort = (name: string, leastMs: number): number | undefined => {
    const ms = Number(settings.get(name) ?? 0);
    return ms > 0 && ms < leastMs ? ms : undefined;
  };
  const found = TIMEOUTS.flatMap((name) => {
    const ms = tooShort(name, limits.statementTimeoutMs);
    if (ms === undefined) return [];
    const message = `${name} is ${ms} ms, which may cancel reads of long threads, prune and migrations`;
    return [
      warning(message, "raise it for this role, and limit single calls by the saver's statementTimeoutMs"),
    ];
  });
  const pause = tooShort(PAUSE, SHORTEST_PAUSE_MS);
  if (pause === undefined) return found;
  const message = `${PAUSE} is ${pause} ms, which may end a transaction that you pass to a saver between two statements`;
  return [...found, warning(message, "raise it for this role")];
}
