const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** An emitter of signals. `process` fits. */
export interface SignalSource {
  once(event: NodeJS.Signals, listener: () => void): unknown;
}

/**
 * Returns a signal that aborts at the first Ctrl-C, SIGTERM or SIGHUP, so that a command can stop cleanly and report what it
 * did. A second signal of the same kind ends the process at once, which is Node's default.
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
