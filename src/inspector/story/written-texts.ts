import { isArray, isObject } from "../../serde/objects/type-guards.js";
import type { StoryError, StoryQuestion } from "../api/story.js";
import type { ValuePath } from "../api/value-node.js";
import { cutText } from "../values/cut-text.js";
import { formOf } from "../values/question-form.js";
import { ASKING, questionIn, readInterrupts } from "../values/read-interrupts.js";
import { briefJson } from "../values/readable-json.js";
import { readOwn } from "../values/read-property.js";
import type { TextRoom } from "../values/text-room.js";
import { eachPart } from "../values/value-parts.js";

/** The most characters of a message or a question. */
const MAX_TEXT = 8_000;
const MAX_NAME = 100;
const MAX_QUESTIONS = 20;

/** The write that a text is from. */
interface Write {
  readonly taskId: string;
  readonly idx: number;
}

/** Describes the error of a task: JavaScript stores its name and its message, and Python a text such as `ValueError('no')`. */
export function describeError(value: unknown, write: Write, room: TextRoom): StoryError {
  const name = isObject(value) ? readOwn(value, "name") : undefined;
  const found = isObject(value) ? fieldOf(value, ["message"]) : undefined;
  const error = found ?? { text: typeof value === "string" ? value : briefJson(value, MAX_TEXT), path: [] };
  return {
    ...(typeof name === "string" && { name: cutText(name, MAX_NAME).text }),
    ...room.cut(error.text, MAX_TEXT),
    ...write,
    ...((found !== undefined || typeof value === "string") && { path: error.path }),
  };
}

/** Describes the questions of a task. Each is an interrupt with a value, or the value itself. */
export function describeQuestions(value: unknown, write: Write, room: TextRoom): StoryQuestion[] {
  return readInterrupts(value)
    .slice(0, MAX_QUESTIONS)
    .map(({ id, value: asked, path }) => ({
      ...(id !== undefined && { id: cutText(id, MAX_NAME).text }),
      ...describeQuestion(asked, { ...write, path }, room),
    }));
}

function describeQuestion(
  value: unknown,
  { path, ...write }: Write & { readonly path: ValuePath },
  room: TextRoom,
): StoryQuestion {
  if (typeof value === "string") return { ...room.cut(value, MAX_TEXT), ...write, path };
  const found = isObject(value) && !isArray(value) ? fieldOf(value, ASKING) : undefined;
  if (found === undefined || !isObject(value)) {
    const text = questionIn(value);
    const json = briefJson(value, MAX_TEXT);
    if (text === undefined) return { ...room.cut(json, MAX_TEXT), ...write };
    const isReview = formOf({ value, schema: undefined }).kind === "decisions";
    return {
      ...room.cut(text, MAX_TEXT),
      ...write,
      details: room.cut(json, MAX_TEXT).text,
      ...(isReview && { isReview }),
    };
  }
  const others = [...eachPart(value)].filter(({ step }) => step !== found.path[0]);
  const details = Object.fromEntries(others.map(({ label, value: part }) => [label, part]));
  return {
    ...room.cut(found.text, MAX_TEXT),
    ...{ ...write, path: [...path, ...found.path] },
    ...(others.length > 0 && { details: detailsText(details, room) }),
  };
}

function detailsText(details: object, room: TextRoom): string {
  const { text, isCut } = room.cut(briefJson(details, MAX_TEXT), MAX_TEXT);
  return isCut ? `${text}…` : text;
}

/** The first of these fields that has a text. */
function fieldOf(
  value: object,
  names: readonly string[],
): { readonly text: string; readonly path: ValuePath } | undefined {
  for (const name of names) {
    const part = partNamed(value, name);
    if (typeof part?.value === "string" && part.value !== "") return { text: part.value, path: [part.step] };
  }
  return undefined;
}

function partNamed(
  value: object,
  name: string,
): { readonly step: number; readonly value: unknown } | undefined {
  for (const part of eachPart(value)) {
    if (part.label === name) return part;
  }
  return undefined;
}
