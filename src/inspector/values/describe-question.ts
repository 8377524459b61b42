import { isArray, isObject } from "../../serde/objects/inspect-object.js";
import type { StoryQuestion } from "../api/story.js";
import type { ValuePath } from "../api/value-node.js";
import { cutText, type TextRoom } from "./cut-text.js";
import { ASKING, formOf, questionIn, type ReadInterrupt } from "./question-form.js";
import { briefJson } from "./readable-json.js";
import { eachPart } from "./value-parts.js";

/** The most characters of a question. */
const MAX_TEXT = 8_000;
const MAX_NAME = 100;

/** The write that a text is from. */
export interface Write {
  readonly taskId: string;
  readonly idx: number;
}

/** Describes what a task asks. */
export function describeQuestion(
  { id, value, path }: Pick<ReadInterrupt, "id" | "value" | "path">,
  write: Write,
  room: TextRoom,
): StoryQuestion {
  const named = id !== undefined && { id: cutText(id, MAX_NAME).text };
  if (typeof value === "string") return { ...named, ...room.cut(value, MAX_TEXT), ...write, path };
  const found = isObject(value) && !isArray(value) ? fieldOf(value, ASKING) : undefined;
  if (found === undefined || !isObject(value)) {
    const text = questionIn(value);
    const json = briefJson(value, MAX_TEXT);
    if (text === undefined) return { ...named, ...room.cut(json, MAX_TEXT), ...write };
    const isReview = formOf({ value, schema: undefined }).kind === "decisions";
    return {
      ...named,
      ...room.cut(text, MAX_TEXT),
      ...write,
      details: room.cut(json, MAX_TEXT).text,
      ...(isReview && { isReview }),
    };
  }
  const others = [...eachPart(value)].filter(({ step }) => step !== found.path[0]);
  const details = Object.fromEntries(others.map(({ label, value: part }) => [label, part]));
  return {
    ...named,
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
export function fieldOf(
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
