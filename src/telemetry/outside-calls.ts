import { AsyncResource } from "node:async_hooks";

const outside = /* @__PURE__ */ new AsyncResource("OutsideCalls");

/**
 * Runs a function in the async context in which this module was loaded, which is that of no call: for what serves several callers, such as
 * a statement that they share, a connection or a timer. In the context of one of them, a logger or an instrumentation would take it for
 * that caller's (C20).
 */
export function outsideCalls<T>(run: () => T): T {
  return outside.runInAsyncScope(run);
}
