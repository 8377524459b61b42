import type { CallContext } from "../db/call-context.js";
import { placementOf, RememberedBySchema } from "../db/placement/placement.js";
import { runStatement } from "../db/statements/run-statement.js";
import { oldestTransaction } from "./queries/oldest-transaction.js";

/** How long rows must have been there before they count as orphans that nobody will reference any more, in milliseconds. */
const GRACE_MS = 60 * 60 * 1000;

/** What a call has seen of the server: all transactions before this one had ended. */
interface Look {
  readonly transaction: string;
  readonly takenAtMs: number;
}

/** The looks at one database. A transaction means nothing on another server, or after it was restored to an earlier time. */
interface Looks {
  readonly server: string;
  /** The first look, and then the first one in each grace after it. */
  readonly latest: Look;
  /** A look that is older than the grace. */
  readonly settled: Look | undefined;
}

const LOOKS = /* @__PURE__ */ new RememberedBySchema<Looks>();

/**
 * Takes a look at the server, and returns the one that the process took an hour ago or more: a transaction before which a row was
 * stored that is at least so old. Rows have no time of their own. A restore stores rows anew, so they are young again.
 *
 * @returns `undefined` where no look is so old, and on Citus, whose nodes count transactions of their own.
 */
export async function settledTransaction(call: CallContext): Promise<string | undefined> {
  if ((await placementOf(call)).isOnNodes) return undefined;
  const [seen] = await runStatement(call, oldestTransaction, {});
  if (seen === undefined) return undefined;
  const { server, transaction } = seen;
  const takenAtMs = performance.now();
  const known = LOOKS.get(call);
  const isSame = known?.server === server;
  const isDue = !isSame || takenAtMs - known.latest.takenAtMs >= GRACE_MS;
  if (!isDue) return known.settled?.transaction;
  const settled = isSame ? known.latest : undefined;
  LOOKS.set(call, { server, latest: { transaction, takenAtMs }, settled });
  return settled?.transaction;
}
