import { verifyNewest } from "../audit/verify-newest.js";
import type { CallContext } from "../db/call-context.js";
import { openDatabase } from "../db/open-database.js";
import type { Check, Examination } from "./examination.js";
import { type Finding, findingsOf } from "./finding.js";

const { ok, error, unknown } = findingsOf("rows");

/** How many threads are checked, and how many problems are named. `verify` does it for all. */
const MOST = { threads: 20, problems: 5 };

const TABLES = ["checkpoints", "checkpoint_blobs", "checkpoint_writes"] as const;

const REMEDY =
  "`verify` with the thread names everything that is damaged in it, and `repair` shows what can be done";

/** Checks the newest checkpoints for damage. It reads no values, so that it needs neither a key nor much time. */
export const checkRows: Check = {
  name: "rows",
  run: async (examination) => {
    const { schema } = examination;
    const tables = TABLES.flatMap((name) => schema.tables.get(name) ?? []);
    if (!schema.usable || tables.length < TABLES.length) return [];
    const hidden = tables.find(({ rights }) => !rights.includes("select"));
    if (hidden !== undefined) return unknown(`role "${schema.role}" can't read "${hidden.name}"`);
    return findDamage(examination);
  },
};

async function findDamage({ db, schema }: Examination): Promise<Finding[]> {
  const call: CallContext = { database: openDatabase(db), schema: schema.name, policy: { retry: false } };
  const { threads, problems } = await verifyNewest(call, MOST.threads);
  const errors = problems.filter(({ severity }) => severity === "error");
  if (errors.length === 0) {
    const newest = `the newest checkpoint of each of the last ${MOST.threads} threads is undamaged`;
    return ok(
      threads === 0 ? "there are no checkpoints" : `${newest}; \`verify\` checks all, and their values`,
    );
  }
  const more = errors.length - MOST.problems;
  return errors.slice(0, MOST.problems).flatMap(({ kind, message }, index) => {
    const rest =
      more > 0 && index === MOST.problems - 1 ? `; and ${more} more in the newest checkpoints` : "";
    return error(`${kind}: ${message}${rest}`, REMEDY);
  });
}
