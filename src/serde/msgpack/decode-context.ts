import type { LangGraphSource } from "../langchain/langgraph-classes.js";

/** What the decoder of an extension needs from the decoder of values. */
export interface DecodeContext extends LangGraphSource {
  /** Ends the decoding with an error. */
  fail(problem: string, cause?: unknown): never;
}
