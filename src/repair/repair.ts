import { archive, readBack } from "../archive/archive.js";
import { DEFAULT_FORMAT } from "../archive/files/compression.js";
import { writeArchiveFile } from "../archive/files/archive-file.js";
import type { ArchiveTarget } from "../archive/archive-types.js";
import type { Problem } from "../audit/audit-types.js";
import { verify } from "../audit/verify.js";
import { exportThread } from "../backup/export-thread.js";
import { type RowLine, parseLine, THREAD_BACKUP } from "../backup/backup-line.js";
import { groupBy } from "../db/group-by.js";
import { refuseHiddenRows } from "../db/hidden-rows.js";
import { refuseReadOnly } from "../db/refuse-read-only.js";
import { throwIfAborted } from "../db/statements/cancellation.js";
import { InvalidConfigError } from "../errors/index.js";
import { readBackupLines } from "../parsing/backup-lines.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import type { RepairRequest } from "./boundary/parse-repair.js";
import { type BackupRows, backupThreads } from "./backup-rows.js";
import type { Repair, RepairReport } from "./repair-types.js";
import { errorsOf, repairThread, type ThreadRepair } from "./repair-thread.js";
import { rowsFor } from "./steps/from-backup.js";

/**
 * Repairs threads one after another; see `repair` of the savers. Each thread is planned, written to the archive as it is, and then changed in
 * one transaction, so that a call may end anywhere.
 */
export async function repair(
  call: SaverCall,
  request: RepairRequest,
  serde: ContextualSerializer,
): Promise<RepairReport> {
  if (call.database.kysely.isTransaction) {
    throw new InvalidConfigError(
      "repair",
      "needs transactions of its own: call it on a saver that is not in one",
    );
  }
  await refuseHiddenRows(call);
  if (request.target !== undefined) await refuseReadOnly(call);
  const damaged = groupBy(await findErrors(call, request, serde), ({ threadId }) => threadId);
  const repairs: Repair[] = [];
  let [threadsDone, repaired] = [0, 0];
  for await (const { threadId, backup } of threadsToRepair(damaged, request)) {
    throwIfAborted(call.signal);
    const done = await repairOne({ call, request, serde }, threadId, backup);
    repairs.push(...done);
    threadsDone += 1;
    if (done.every(({ action }) => action !== "none")) repaired += 1;
    request.onProgress?.({ threadId, threadsDone });
  }
  return { threads: damaged.size, repaired, repairs, dryRun: request.target === undefined };
}

async function findErrors(
  call: SaverCall,
  { threads }: RepairRequest,
  serde: ContextualSerializer,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  if (threads === undefined) {
    const found = await verify(call, { threadId: undefined, onProgress: undefined }, serde);
    return found.problems.filter(({ severity }) => severity === "error");
  }
  for (const threadId of threads) problems.push(...(await errorsOf(call, threadId, serde)));
  return problems;
}

/** Yields the damaged threads: first those of the backup, in its order, so that it is read once. */
async function* threadsToRepair(
  damaged: ReadonlyMap<string, readonly Problem[]>,
  { backup }: RepairRequest,
): AsyncGenerator<{ readonly threadId: string; readonly backup: BackupRows | undefined }> {
  const others = new Set(damaged.keys());
  if (backup !== undefined) {
    const lines = readBackupLines<RowLine>(THREAD_BACKUP, backup, parseLine);
    const isChosen = rowsFor(damaged);
    for await (const rows of backupThreads(lines, isChosen)) {
      if (others.delete(rows.threadId)) yield { threadId: rows.threadId, backup: rows };
    }
  }
  for (const threadId of others) yield { threadId, backup: undefined };
}

interface Repairing {
  readonly call: SaverCall;
  readonly request: RepairRequest;
  readonly serde: ContextualSerializer;
}

async function repairOne(
  { call, request, serde }: Repairing,
  threadId: string,
  backup: BackupRows | undefined,
): Promise<readonly Repair[]> {
  const { target, reducers, rollBack, quarantine } = request;
  const tools = { serde, reducers, backup, rollBack };
  const plan = await repairThread(call, threadId, tools, false);
  if (quarantine && plan.left.some((problem) => !plan.foreign.has(problem))) {
    if (target !== undefined) await moveAway(call, target, threadId);
    return plan.left.concat(plan.repairs.map(({ problem }) => problem)).map(quarantined);
  }
  if (target === undefined || plan.repairs.length === 0) return withRest(plan);
  await keep(call, target, threadId);
  return withRest(await repairThread(call, threadId, tools, true));
}

/** Writes the thread as it is, and reads the file back. The thread stays in the database. */
async function keep(call: SaverCall, target: ArchiveTarget, threadId: string): Promise<void> {
  const thread = {
    threadId,
    rows: (within: Parameters<typeof exportThread>[0]) => exportThread(within, threadId),
  };
  const content = { target, format: DEFAULT_FORMAT, threadId, isOfOlder: false, threads: [thread] };
  const { file, end } = await writeArchiveFile(call, content);
  await readBack(file, end);
}

async function moveAway(call: SaverCall, target: ArchiveTarget, threadId: string): Promise<void> {
  const rule = { kind: "delete" as const, threads: [threadId], dryRun: false };
  await archive(call, { rule, target, filesPer: "thread", format: DEFAULT_FORMAT });
}

function withRest({ repairs, left, foreign }: ThreadRepair): readonly Repair[] {
  const rest = left.map((problem): Repair => ({
    problem,
    action: "none",
    description: foreign.has(problem) ? FOREIGN : NOTHING,
  }));
  return [...repairs, ...rest];
}

const FOREIGN =
  "no value of this type can be read: repair with the serializer and the keys that wrote it, or from a backup";

const NOTHING =
  "nothing mends it: pass a backup that has it, or allow to roll the thread back or to quarantine it";

function quarantined(problem: Problem): Repair {
  return { problem, action: "quarantine", description: "moves the thread to the archive as it is" };
}
