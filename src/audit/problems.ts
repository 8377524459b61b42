import { describePlace } from "../errors/index.js";
import type { NamespaceKey } from "../saver/model/keys.js";
import type { Problem, ProblemKind } from "./audit-types.js";

/** The place of a problem. */
type ProblemPlace = NamespaceKey &
  Partial<Pick<Problem, "checkpointId" | "channel" | "version" | "taskId" | "idx">>;

/** A problem as a check finds it. */
export interface FoundProblem extends Pick<Problem, "kind" | "severity"> {
  readonly place: ProblemPlace;
  /** What is wrong, without the place. */
  readonly reason: string;
  /** The row that causes it. Problems with the same cause become one line. Default: it is the only one. */
  readonly cause?: Cause | undefined;
}

/** The row that causes a problem. */
export interface Cause {
  readonly key: string;
  /** Whether the problem is that of the row itself, and not that of a row which needs it. */
  readonly isOwn: boolean;
}

/** A problem that prevents reading a checkpoint completely, or continuing its thread. */
export function error(kind: ProblemKind, place: ProblemPlace, reason: string, cause?: Cause): FoundProblem {
  return { kind, severity: "error", place, reason, cause };
}

/** A problem without a known loss. */
export function notice(kind: ProblemKind, place: ProblemPlace, reason: string, cause?: Cause): FoundProblem {
  return { kind, severity: "notice", place, reason, cause };
}

/** Collects problems, one for each cause. */
export class ProblemList {
  readonly #found: { problem: FoundProblem; dependents: number }[] = [];
  readonly #byCause = new Map<string, { problem: FoundProblem; dependents: number }>();

  /** How many of them have the severity. */
  count(severity: Problem["severity"]): number {
    return this.#found.filter(({ problem }) => problem.severity === severity).length;
  }

  add(problem: FoundProblem): void {
    const { cause } = problem;
    const known = cause && this.#byCause.get(cause.key);
    if (known === undefined) {
      const line = { problem, dependents: 0 };
      this.#found.push(line);
      if (cause !== undefined) this.#byCause.set(cause.key, line);
      return;
    }
    known.dependents += 1;
    const isWorse = known.problem.severity === "notice" && problem.severity === "error";
    if (isWorse || cause?.isOwn === true) known.problem = problem;
  }

  toProblems(): Problem[] {
    return this.#found.map(({ problem, dependents }) => toProblem(problem, dependents));
  }
}

/** @param dependents - How many other rows have the same cause. */
function toProblem({ kind, severity, place, reason }: FoundProblem, dependents: number): Problem {
  const others = dependents === 1 ? "1 other row has" : `${dependents} other rows have`;
  const rest = dependents === 0 ? "" : `; ${others} the same cause`;
  const message = `${describePlace(place)}: ${reason.replaceAll(/\s*\n\s*/g, " ")}${rest}`;
  return { kind, severity, ...place, ...(dependents > 0 && { dependents }), message };
}
