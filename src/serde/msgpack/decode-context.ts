import type { LangGraphClasses } from "../langchain/langgraph-classes.js";

/** What the decoder of an extension needs from the decoder of values. */
export interface DecodeContext {
  /** The classes of @langchain/langgraph, or `null` where it is not installed. */
  readonly langGraph: LangGraphClasses | null;

  /** The object that LangChain makes of a constructor record. */
  langChain(text: string): unknown;

  /** Ends the decoding with an error. */
  fail(problem: string, cause?: unknown): never;
}
