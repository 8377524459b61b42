import { Annotation } from "@langchain/langgraph";

/** A state that remembers everything that was ever written to it, in the order of the writes. */
export const LogState = Annotation.Root({
  log: Annotation<string[]>({ reducer: (current, added) => [...current, ...added], default: () => [] }),
});

/** A node that adds its own name to the log. */
export function says(name: string): () => { log: string[] } {
  return () => ({ log: [name] });
}
