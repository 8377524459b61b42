/** A signal of its own for one call. */
export function abortable(): { signal: AbortSignal; abort: (reason?: unknown) => void } {
  const controller = new AbortController();
  return {
    signal: controller.signal,
    abort: (reason) => {
      controller.abort(reason);
    },
  };
}
