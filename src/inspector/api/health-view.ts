/** A finding of `doctor`. */
export interface HealthFinding {
  readonly check: string;
  readonly state: "ok" | "warning" | "error" | "unknown";
  readonly message: string;
  readonly remedy?: string;
}

/** The state of the database and of the saver's pool. */
export interface HealthView {
  /** The worst first. */
  readonly findings: readonly HealthFinding[];
  /** The pool, where there is one. */
  readonly pool?: { readonly total: number; readonly idle: number; readonly waiting: number };
  readonly migrations: {
    readonly applied: readonly string[];
    readonly pending: readonly string[];
    /** Applied ones that this version of the library does not know. */
    readonly unknown: readonly string[];
  };
  /** How long the server took to answer, in milliseconds. */
  readonly latencyMs: number;
  /** The version of the server, such as `18.4`. */
  readonly serverVersion?: string;
}
