const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** What tells of signals; `process` does. */
export interface SignalSource {
  once(event: NodeJS.Signals, listener: () => void): unknown;
}

/**
 * A signal that aborts at the first Ctrl-C, so that the work ends where it may and says what was done. The second one ends
 * the process at once, as it would have without this.
 */
export function interruptSignal(source: SignalSource): AbortSignal {
  const controller = new AbortController();
  for (const name of SIGNALS) {
    source.once(name, () => {
      controller.abort();
    });
  }
  return controller.signal;
}
