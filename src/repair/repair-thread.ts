import type { Problem } from "../audit/audit-types.js";
import { verify } from "../audit/verify.js";
import type { CallContext } from "../db/call-context.js";
import { inOneTransaction } from "../db/statements/run-statement.js";
import { CheckpointError } from "../errors/index.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import type { Repair, RepairAction } from "./repair-types.js";
import { foreignValues, isOfBytes } from "./foreign-values.js";
import type { RepairCall, RepairTools } from "./repair-tools.js";
import { drop, rollBack } from "./steps/remove-rows.js";
import { restoreFromBackup } from "./steps/from-backup.js";
import { rebuild } from "./steps/rebuild.js";
import { retype } from "./steps/retype.js";

/** What a transaction has done for a thread. */
export interface ThreadRepair {
  readonly repairs: readonly Repair[];
  /** The problems that are left. */
  readonly left: readonly Problem[];
  /** Those of them with values that another serializer wrote. */
  readonly foreign: ReadonlySet<Problem>;
}

/** How often a thread is rolled back, at most: a checkpoint may need one that was removed. */
const MAX_ROLLBACKS = 1_000;

/** How often rows are taken from a backup: checkpoints, and then what these reference. */
const MAX_RESTORES = 2;

/**
 * Repairs a thread in one transaction, step by step, and verifies it after each. So a plan is what the repair itself would do.
 *
 * @param commits - Whether the changes stay. Otherwise they are rolled back.
 */
export async function repairThread(
  call: SaverCall,
  threadId: string,
  tools: RepairTools,
  commits: boolean,
): Promise<ThreadRepair> {
  let outcome: ThreadRepair = { repairs: [], left: [], foreign: new Set() };
  try {
    await inOneTransaction(call, async (transaction) => {
      outcome = await repairIn(transaction, threadId, tools);
      if (!commits || outcome.repairs.length === 0) throw new UndoneError();
    });
  } catch (error) {
    if (!(error instanceof UndoneError)) throw error;
  }
  return outcome;
}

/** Rolls a transaction back whose outcome is known. */
class UndoneError extends CheckpointError {
  constructor() {
    super("ABORTED", "the plan of a repair is rolled back");
  }
}

async function repairIn(call: RepairCall, threadId: string, tools: RepairTools): Promise<ThreadRepair> {
  const before = await errorsOf(call, threadId, tools.serde);
  let left = before;
  const repairs: Repair[] = [];
  /** Runs a step, and verifies what it did. Returns whether it did anything. */
  const take = async (
    step: (problems: readonly Problem[]) => Promise<readonly Repair[]>,
  ): Promise<boolean> => {
    const done = await step(left);
    if (done.length === 0) return false;
    left = await errorsOf(call, threadId, tools.serde);
    const keys = new Set(left.map(keyOf));
    repairs.push(...done.filter(({ problem }) => !keys.has(keyOf(problem))));
    return true;
  };
  const ours = async (problems: readonly Problem[]): Promise<readonly Problem[]> => {
    const foreign = await foreignValues(call, problems, tools.serde);
    return problems.filter((problem) => !foreign.has(problem));
  };
  await take((problems) =>
    eachProblem("rebuild", problems.filter(isOfBytes), (problem) => retype(call, problem, tools)),
  );
  await take(async (problems) =>
    eachProblem("rebuild", await ours(problems), (problem) => rebuild(call, problem, tools)),
  );
  // A checkpoint that was restored may lack a value, which the backup has as well.
  let isRestoring = true;
  for (let round = 0; isRestoring && round < MAX_RESTORES; round++) {
    isRestoring = await take((problems) =>
      eachProblem("restore", problems, (problem) => restoreFromBackup(call, problem, tools)),
    );
  }
  await take(async (problems) => eachProblem("drop", await ours(problems), (problem) => drop(call, problem)));
  let isRolling = tools.rollBack;
  for (let round = 0; isRolling && round < MAX_ROLLBACKS; round++)
    isRolling = await take(async (problems) => rollBack(call, await ours(problems)));
  // A step must not break what could be read: then the thread stays as it is.
  const known = new Set(before.map(keyOf));
  const foreign = await foreignValues(call, left, tools.serde);
  if (left.every((problem) => known.has(keyOf(problem)))) return { repairs, left, foreign };
  return { repairs: [], left: before, foreign: await foreignValues(call, before, tools.serde) };
}

async function eachProblem(
  action: RepairAction,
  problems: readonly Problem[],
  mend: (problem: Problem) => Promise<string | undefined>,
): Promise<Repair[]> {
  const done: Repair[] = [];
  for (const problem of problems) {
    const description = await mend(problem);
    if (description !== undefined) done.push({ problem, action, description });
  }
  return done;
}

/** The problems of a thread because of which something can't be read. The others lose nothing. */
export async function errorsOf(
  call: CallContext,
  threadId: string,
  serde: ContextualSerializer,
): Promise<Problem[]> {
  const { problems } = await verify(call, { threadId, onProgress: undefined }, serde);
  return problems.filter(({ severity }) => severity === "error");
}

/** Identifies a problem before and after a step. */
function keyOf({ kind, checkpointNs, checkpointId, channel, version, taskId, idx }: Problem): string {
  return JSON.stringify([kind, checkpointNs, checkpointId, channel, version, taskId, idx]);
}
