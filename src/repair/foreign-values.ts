import type { Problem } from "../audit/audit-types.js";
import { isCompression } from "../serde/compressed/codecs.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import { formOf, UNCHECKED_FORMATS } from "../splices/splice-type.js";
import { type StoredTypeRow, typesOfThread } from "./queries/stored-rows.js";
import type { RepairCall } from "./repair-tools.js";

/** The formats that every serializer of this library reads. */
const OUR_FORMATS: ReadonlySet<string> = new Set([...UNCHECKED_FORMATS, "msgpack", "json"]);

/**
 * Selects the problems with values that are encrypted, or have a type that the serializer does not know, where it reads no other value with
 * that type: it is probably not the serializer that wrote them, or lacks their key. Removing such values would be a loss.
 */
export async function foreignValues(
  call: RepairCall,
  problems: readonly Problem[],
  serde: ContextualSerializer,
): Promise<ReadonlySet<Problem>> {
  const unreadable = problems.filter(isOfBytes);
  const [first] = unreadable;
  if (first === undefined) return new Set();
  const stored = await typesOfThread(call, first);
  const failed = new Map<string, number>();
  const typeByProblem = new Map<Problem, string>();
  for (const problem of unreadable) {
    const row = stored.find((each) => isRowOf(each, problem));
    if (row === undefined || (isOurs(row.type) && serde.refusesPlaintext !== true)) continue;
    typeByProblem.set(problem, row.type);
    failed.set(row.type, (failed.get(row.type) ?? 0) + 1 + (problem.dependents ?? 0));
  }
  const isForeign = (type: string): boolean =>
    stored.filter((row) => row.type === type).length <= (failed.get(type) ?? 0);
  return new Set([...typeByProblem].flatMap(([problem, type]) => (isForeign(type) ? [problem] : [])));
}

/** Whether a problem is that bytes can't be read. */
export function isOfBytes({ kind }: Problem): boolean {
  return kind === "undecodable-value" || kind === "undecodable-write" || kind === "broken-chain";
}

function isRowOf(row: StoredTypeRow, problem: Problem): boolean {
  if (row.checkpoint_ns !== problem.checkpointNs || row.channel !== problem.channel) return false;
  return problem.kind === "undecodable-write"
    ? row.checkpoint_id === problem.checkpointId && row.task_id === problem.taskId && row.idx === problem.idx
    : row.version === problem.version;
}

/** Whether a type has one of our formats, at most compressed. */
export function isOurs(type: string): boolean {
  const { format, layers } = formOf(type);
  return OUR_FORMATS.has(format) && layers.every(isCompression);
}
