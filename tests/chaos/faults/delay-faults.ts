import type { Fault } from "./fault.js";

/**
 * What is sent on the connections that there are does not arrive; new connections work. When the load has gone on it does arrive, as
 * from a link that was down: statements that have been repeated since, and overtaken.
 */
export const delayStatements: Fault = {
  name: "statements delayed until after their repetition",
  inject: ({ proxy }) => {
    const statements = proxy.delayStatements();
    return Promise.resolve(() => {
      void statements.deliver();
    });
  },
};
