import { load } from "@langchain/core/load";
import { DeserializationError } from "../../errors.js";
import { recordProblem } from "../langchain/constructor-record.js";
import { malformed } from "./byte-reader.js";
import type { DecodeContext } from "./decode-context.js";
import { Decoder } from "./decoder.js";
import { importLangGraph, type LangGraphClasses } from "../langchain/langgraph-classes.js";

/**
 * Decodes a MessagePack value with Python's extensions and this library's own.
 *
 * @returns the value, or a promise of it if a part of it can only be made asynchronously
 * @throws {@link DeserializationError} for bytes that are no such value; the promise rejects with the same
 */
export function decode(bytes: Uint8Array): unknown {
  const context = new Context();
  const value = run(bytes, context);
  return context.isComplete ? value : decodeAgain(bytes, context);
}

/** Some parts need what is imported or made asynchronously: decodes once more with that at hand. */
async function decodeAgain(bytes: Uint8Array, first: Context): Promise<unknown> {
  const langGraph = first.isLangGraphMissing ? await importLangGraph() : null;
  const objects: unknown[] = [];
  for (const text of first.missingTexts) objects.push(await loadLangChain(text));
  return run(bytes, new Context(langGraph, objects));
}

function run(bytes: Uint8Array, context: Context): unknown {
  try {
    return new Decoder(bytes, context).document();
  } catch (error) {
    if (error instanceof DeserializationError) throw error;
    throw malformed(error instanceof RangeError ? "it is nested too deep" : "a part makes no value", error);
  }
}

async function loadLangChain(text: string): Promise<unknown> {
  try {
    return await load(text);
  } catch (error) {
    throw malformed("LangChain can't load a part", error);
  }
}

/** Collects what is missing on the first run, and hands it out in the same order on the second. */
class Context implements DecodeContext {
  isLangGraphMissing = false;
  readonly missingTexts: string[] = [];
  readonly #langGraph: LangGraphClasses | null | undefined;
  readonly #objects: unknown[];

  constructor(langGraph?: LangGraphClasses | null, objects: unknown[] = []) {
    this.#langGraph = langGraph;
    this.#objects = objects;
  }

  get isComplete(): boolean {
    return !this.isLangGraphMissing && this.missingTexts.length === 0;
  }

  get langGraph(): LangGraphClasses | null {
    if (this.#langGraph === undefined) this.isLangGraphMissing = true;
    return this.#langGraph ?? null;
  }

  langChain(text: string): unknown {
    if (this.#objects.length > 0) return this.#objects.shift();
    const problem = recordProblem(parseRecord(text), 0);
    if (problem !== undefined) return this.fail(`a LangChain record ${problem}`);
    this.missingTexts.push(text);
    return null;
  }

  fail(problem: string, cause?: unknown): never {
    throw malformed(problem, cause);
  }
}

function parseRecord(text: string): unknown {
  return JSON.parse(text);
}
