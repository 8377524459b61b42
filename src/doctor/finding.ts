/** The result of a check; `unknown` when the role lacks the privileges to see it. */
export type FindingState = "ok" | "warning" | "error" | "unknown";

/** One result of a check. */
export interface Finding {
  /** The name of the check, such as `privileges`. */
  readonly check: string;
  readonly state: FindingState;
  /** What was found, in one line. Names from the database are not escaped. */
  readonly message: string;
  /** What to do about it, in one line. */
  readonly remedy?: string;
}

/** Makes the findings of one check, each as a list of one: a check returns a list. */
export interface Findings {
  readonly ok: (message: string) => Finding[];
  /** It works, but is slow or may fail later. */
  readonly warning: (message: string, remedy: string) => Finding[];
  /** Some or all calls fail. */
  readonly error: (message: string, remedy: string) => Finding[];
  readonly unknown: (message: string, remedy?: string) => Finding[];
}

/** @param check - The name of the check. */
export function findingsOf(check: string): Findings {
  return {
    ok: (message) => [{ check, state: "ok", message }],
    warning: (message, remedy) => [{ check, state: "warning", message, remedy }],
    error: (message, remedy) => [{ check, state: "error", message, remedy }],
    unknown: (message, remedy) => [
      { check, state: "unknown", message, ...(remedy !== undefined && { remedy }) },
    ],
  };
}
