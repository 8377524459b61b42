import { isArray, isObject } from "../../serde/objects/inspect-object.js";
import { readOwn } from "./read-property.js";
import { fieldOf, type Located, textAt } from "./value-parts.js";
import { readMessage } from "./read-message.js";

/** A call of a tool in a message. */
export interface ReadToolCall {
  readonly id: string | undefined;
  readonly name: string;
  /** An object, or the text of a call that could not be parsed. */
  readonly args: Located | undefined;
  /** Why LangChain could not parse the call. */
  readonly error: string | undefined;
}

/** Reads the first calls of tools in a message. */
export function readToolCalls(fields: Located, max: number): ReadToolCall[] {
  const calls: ReadToolCall[] = [];
  for (const call of eachToolCall(fields)) {
    if (calls.length === max) break;
    calls.push(call);
  }
  return calls;
}

/** Yields the calls of tools in a message: LangChain's, those that LangChain could not parse, or those of the OpenAI API. */
export function* eachToolCall(fields: Located): Generator<ReadToolCall, undefined> {
  let hasOwn = false;
  for (const name of ["tool_calls", "invalid_tool_calls"]) {
    for (const call of callsOf(fieldOf(fields, name))) {
      hasOwn = true;
      yield call;
    }
  }
  const more = hasOwn ? undefined : fieldOf(fields, "additional_kwargs");
  if (more !== undefined) yield* callsOf(fieldOf(more, "tool_calls"));
}

/** Returns the ids of the calls that {@link eachToolCall} yields, in a fraction of its time. */
export function callIdsOf(fields: object): (string | undefined)[] {
  const own = ["tool_calls", "invalid_tool_calls"].flatMap((name) => idsIn(readOwn(fields, name)));
  if (own.length > 0) return own;
  const more = readOwn(fields, "additional_kwargs");
  return isObject(more) ? idsIn(readOwn(more, "tool_calls")) : [];
}

function idsIn(calls: unknown): (string | undefined)[] {
  return isArray(calls) ? calls.filter(isObject).map((call) => textAt(call, "id")) : [];
}

function* callsOf(calls: Located | undefined): Generator<ReadToolCall, undefined> {
  if (calls === undefined || !isArray(calls.value)) return;
  for (const [index, value] of calls.value.entries()) {
    if (!isObject(value)) continue;
    const call = { value, path: [...calls.path, index] };
    const described = fieldOf(call, "function");
    const from = described !== undefined && isObject(described.value) ? described : call;
    yield {
      id: textAt(value, "id"),
      name: textAt(from.value, "name") ?? "",
      args: fieldOf(from, "args", "arguments"),
      error: textAt(value, "error"),
    };
  }
}

/** Which messages of a conversation answer which calls of tools. */
export interface PairedCalls {
  /** Returns the position of the message that answers a call. */
  readonly answerTo: (callId: string, position: number) => number | undefined;
  /** Returns the position of the message whose call shows a message as its result. */
  readonly shownAt: (position: number) => number | undefined;
}

/** The pairs of the lists that were described last. Values do not change after they have been read. */
const known = new WeakMap<readonly unknown[], PairedCalls>();

/** Finds the answers to the calls of a conversation. A person scrolls through it, so they are found once. */
export function pairCalls(messages: readonly unknown[], maxCalls: number): PairedCalls {
  const found = known.get(messages) ?? findPairs(messages, maxCalls);
  known.set(messages, found);
  return found;
}

function findPairs(messages: readonly unknown[], maxCalls: number): PairedCalls {
  /** By position and call. */
  const answers = new Map<number, Map<string, number>>();
  const shownAt = new Map<number, number>();
  /** By call: the first answer after the position. */
  const later = new Map<string, number>();
  for (let position = messages.length - 1; position >= 0; position--) {
    const read = readMessage(messages[position]);
    if (read === undefined) continue;
    const ofMessage = new Map<string, number>();
    for (const id of callIdsOf(read.fields).slice(0, maxCalls)) {
      const answer = id === undefined ? undefined : later.get(id);
      if (id === undefined || answer === undefined) continue;
      ofMessage.set(id, answer);
      shownAt.set(answer, position);
    }
    if (ofMessage.size > 0) answers.set(position, ofMessage);
    const answered = textAt(read.fields, "tool_call_id");
    if (answered !== undefined) later.set(answered, position);
  }
  return {
    answerTo: (callId, position) => answers.get(position)?.get(callId),
    shownAt: (position) => shownAt.get(position),
  };
}
