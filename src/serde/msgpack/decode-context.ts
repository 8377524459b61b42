import type { LangGraphSource } from "../langchain/langgraph-classes.js";

/** The functions that the decoders of extensions need from the decoder of values. */
export interface DecodeContext extends LangGraphSource {
  /** Throws the error for malformed bytes. */
  fail(problem: string, cause?: unknown): never;
}
