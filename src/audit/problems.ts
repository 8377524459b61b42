import type { NamespaceKey } from "../saver/model/checkpoint-key.js";
import type { Problem, ProblemKind } from "./audit-types.js";

/** Where a problem is, within a namespace. */
type Place = NamespaceKey & Partial<Pick<Problem, "checkpointId" | "channel" | "version" | "taskId">>;

/** Something that can't be read back. */
export function error(kind: ProblemKind, place: Place, message: string): Problem {
  return { kind, severity: "error", ...place, message };
}

/** Something that nobody needs, or can do without. */
export function notice(kind: ProblemKind, place: Place, message: string): Problem {
  return { kind, severity: "notice", ...place, message };
}
