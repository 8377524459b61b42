/** What a check has come to: `unknown` where the role may not see what it would take to tell. */
export type FindingState = "ok" | "warning" | "error" | "unknown";

/** One thing that was looked at. */
export interface Finding {
  /** What was looked at, such as `privileges`. */
  readonly check: string;
  readonly state: FindingState;
  /** What was found, in one line. Names from the database stand in it as they are. */
  readonly message: string;
  /** What to do about it, in one line. */
  readonly remedy?: string;
}

/** Makes the findings of one check. */
export interface Findings {
  readonly ok: (message: string) => Finding;
  /** It works, and could do better or harm one day. */
  readonly warning: (message: string, remedy: string) => Finding;
  /** It does not work, or not for all calls. */
  readonly error: (message: string, remedy: string) => Finding;
  readonly unknown: (message: string, remedy?: string) => Finding;
}

/** @param check - What is looked at. */
export function findingsOf(check: string): Findings {
  return {
    ok: (message) => ({ check, state: "ok", message }),
    warning: (message, remedy) => ({ check, state: "warning", message, remedy }),
    error: (message, remedy) => ({ check, state: "error", message, remedy }),
    unknown: (message, remedy) => ({
      check,
      state: "unknown",
      message,
      ...(remedy !== undefined && { remedy }),
    }),
  };
}
