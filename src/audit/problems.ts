import type { NamespaceKey } from "../saver/model/checkpoint-key.js";
import type { Problem, ProblemKind } from "./audit-types.js";

/** The place of a problem. */
type Place = NamespaceKey & Partial<Pick<Problem, "checkpointId" | "channel" | "version" | "taskId">>;

/** A problem that prevents reading a checkpoint completely. */
export function error(kind: ProblemKind, place: Place, message: string): Problem {
  return { kind, severity: "error", ...place, message };
}

/** A problem without a known loss. */
export function notice(kind: ProblemKind, place: Place, message: string): Problem {
  return { kind, severity: "notice", ...place, message };
}
