/** Creates a signal for one call, and the function that aborts it. */
export function abortable(): { signal: AbortSignal; abort: (reason?: unknown) => void } {
  const controller = new AbortController();
  return {
    signal: controller.signal,
    abort: (reason) => {
      controller.abort(reason);
    },
  };
}
