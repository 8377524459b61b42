import type { Check, Examination } from "./examination.js";
import { type Finding, findingsOf } from "./finding.js";

const { ok, warning } = findingsOf("settings");

/** How long a transaction that an application shares with a saver may pause between two statements at least. */
const SHORTEST_PAUSE_MS = 1_000;

const IN_FILE = "set it on in postgresql.conf, and reload the server";
/** What harm each does when it is off, and how it is set. */
const DURABILITY: Readonly<Record<string, readonly [harm: string, remedy: string]>> = {
  fsync: ["a crash of the machine can destroy the whole database", IN_FILE],
  full_page_writes: ["a crash of the machine can leave pages torn", IN_FILE],
  synchronous_commit: [
    "what was acknowledged last is lost when the server crashes",
    "set it on for the server, the database and the role",
  ],
};
const TIMEOUTS = ["statement_timeout", "transaction_timeout"] as const;
const PAUSE = "idle_in_transaction_session_timeout";

/** Settings of the server, the database or the role by which acknowledged writes are lost, or calls fail. */
export const checkSettings: Check = {
  name: "settings",
  run: async (examination) => {
    const rows = await examination.db
      .selectFrom("pg_catalog.pg_settings")
      // As the session began: the doctor has bounded his own statements.
      .select(["name", "reset_val as setting"])
      .where("name", "in", [...Object.keys(DURABILITY), ...TIMEOUTS, PAUSE])
      .orderBy("name")
      .execute();
    const settings = new Map(rows.map(({ name, setting }) => [name, setting]));
    const found = [...durabilityOf(settings, examination), ...timeoutsOf(settings, examination)];
    return found.length > 0 ? found : [ok("none that loses writes or ends calls early")];
  },
};

type Settings = ReadonlyMap<string, string>;

function durabilityOf(settings: Settings, { isEmbedded }: Examination): Finding[] {
  // PGlite goes without fsync, and it is not for the user to change.
  if (isEmbedded) return [];
  return Object.entries(DURABILITY)
    .filter(([name]) => settings.get(name) === "off")
    .map(([name, [harm, remedy]]) => warning(`${name} is off: ${harm}`, remedy));
}

function timeoutsOf(settings: Settings, { limits }: Examination): Finding[] {
  const tooShort = (name: string, leastMs: number): number | undefined => {
    const ms = Number(settings.get(name) ?? 0);
    return ms > 0 && ms < leastMs ? ms : undefined;
  };
  const found = TIMEOUTS.flatMap((name) => {
    const ms = tooShort(name, limits.statementTimeoutMs);
    if (ms === undefined) return [];
    const message = `${name} is ${ms} ms: reads of long threads, prunes and migrations may not come to their end`;
    return [
      warning(message, `raise it for this role, and bound single calls by the saver's statementTimeoutMs`),
    ];
  });
  const pause = tooShort(PAUSE, SHORTEST_PAUSE_MS);
  if (pause === undefined) return found;
  const message = `${PAUSE} is ${pause} ms: a transaction that a saver was lent may be ended between two statements`;
  return [...found, warning(message, "raise it for this role")];
}
