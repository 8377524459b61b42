import { Annotation } from "@langchain/langgraph";

/** A state that keeps every write, in order. */
export const LogState = Annotation.Root({
  log: Annotation<string[]>({ reducer: (current, added) => [...current, ...added], default: () => [] }),
});

/** A node that adds its own name to the log. */
export function says(name: string): () => { log: string[] } {
  return () => ({ log: [name] });
}
