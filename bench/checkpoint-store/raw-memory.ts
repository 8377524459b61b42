import type { Step, Steps } from "./steps.js";

/** The work of a store, written for a Map alone. */
export function rawMemory(): Steps {
  const texts = new Map<string, string>();
  const executions = new Map<string, string[]>();
  const load = (id: string): Promise<object> =>
    Promise.resolve(JSON.parse(texts.get(id) ?? "null") as object);
  return {
    setup: () => Promise.resolve(),
    save: (step: Step) => {
      const ids = executions.get(step.metadata.execution_id) ?? [];
      if (!texts.has(step.id)) ids.push(step.id);
      executions.set(step.metadata.execution_id, ids);
      texts.set(step.id, JSON.stringify(step));
      return Promise.resolve();
    },
    load,
    list: (executionId) => Promise.all((executions.get(executionId) ?? []).map(load)),
    latest: (executionId) => {
      const id = executions.get(executionId)?.at(-1);
      return id === undefined ? Promise.resolve(undefined) : load(id);
    },
    end: () => Promise.resolve(),
  };
}
