/** What a load has seen. */
export interface Report {
  readonly users: number;
  readonly seconds: number;
  readonly threads: number;
  readonly turns: number;
  readonly turnsPerSecond: number;
  /** Refunds that a person has approved. */
  readonly approvals: number;
  /** How long users waited for a turn, with all retries, in milliseconds. */
  readonly waits: { readonly p50: number; readonly p95: number; readonly p99: number; readonly max: number };
  /** Calls that failed and were made again, by reason. */
  readonly retried: Readonly<Record<string, number>>;
  /** What must not be. */
  readonly findings: readonly string[];
}

const MOST_FINDINGS = 50;

/** Counts what happens. */
export class Tally {
  readonly #waits: number[] = [];
  readonly #retried = new Map<string, number>();
  readonly #findings: string[] = [];
  #approvals = 0;

  acknowledged(waitMs: number): void {
    this.#waits.push(waitMs);
  }

  approved(): void {
    this.#approvals++;
  }

  failed(reason: string): void {
    this.#retried.set(reason, (this.#retried.get(reason) ?? 0) + 1);
  }

  found(finding: string): void {
    if (this.#findings.length < MOST_FINDINGS) this.#findings.push(finding);
  }

  report({ users, seconds, threads }: Pick<Report, "users" | "seconds" | "threads">): Report {
    const sorted = this.#waits.toSorted((a, b) => a - b);
    const at = (share: number): number => Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0);
    return {
      ...{ users, seconds: Math.round(seconds), threads, turns: sorted.length },
      turnsPerSecond: Number((sorted.length / seconds).toFixed(1)),
      approvals: this.#approvals,
      waits: { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) },
      retried: Object.fromEntries(this.#retried),
      findings: this.#findings,
    };
  }
}

/** The report for people. */
export function describeReport(report: Report): string {
  const { waits, retried, findings } = report;
  return [
    `${report.users} users, ${report.seconds} s: ${report.turns} turns in ${report.threads} threads, ${report.turnsPerSecond} a second; ${report.approvals} approvals`,
    `waits in ms: p50 ${waits.p50}, p95 ${waits.p95}, p99 ${waits.p99}, longest ${waits.max}`,
    ...Object.entries(retried).map(([reason, times]) => `made again ${times} times: ${reason}`),
    findings.length === 0
      ? "Each acknowledged turn is in its thread, nobody waited too long, and each last turn succeeded."
      : `FAILED:\n${findings.join("\n")}`,
  ].join("\n");
}
