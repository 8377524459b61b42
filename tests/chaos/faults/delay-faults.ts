import type { Fault } from "./fault.js";

/**
 * Holds back everything sent on existing connections, while new ones work. Delivers it after the load has resumed, as from a
 * link that was down: by then, the statements have been retried and are outdated.
 */
export const delayStatements: Fault = {
  name: "statements delayed until after their retries",
  inject: ({ proxy }) => {
    const statements = proxy.delayStatements();
    return Promise.resolve(() => {
      void statements.deliver();
    });
  },
};
