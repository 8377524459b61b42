import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import { keyText, storedText } from "../../parsing/keys.js";
import type { TextPart, ValuePath } from "../api/value-node.js";
import { readStoredValue } from "../stored-values/read-stored-value.js";
import { endOfPart, TextRoom } from "../values/cut-text.js";
import { bigintText, describePart, valueNodeOf } from "../values/describe-value.js";
import { searchValue } from "../values/search-value.js";
import { somePartsOf } from "../values/value-parts.js";
import { checkpointPlace, limitUpTo, storedLabels } from "./args.js";
import type { ReadDefinitions } from "./call-definition.js";

/** The number of children of a page. A page with the longest texts then has less than 1 MB. */
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 200;
/** The most characters of a part of a text. */
const MAX_PART = 256 * 1_024;

const position = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const channelPlace = checkpointPlace.extend({ kind: z.literal("channel"), channel: keyText });
const writePlace = checkpointPlace.extend({
  ...{ kind: z.literal("write"), taskId: keyText, idx: z.number().int() },
});
const metadataPlace = checkpointPlace.extend({ kind: z.literal("metadata") });
const itemPlace = z.strictObject({
  ...{ kind: z.literal("item"), namespace: storedLabels, key: storedText },
});
const entryPlace = z.strictObject({ kind: z.literal("entry"), namespace: storedText, key: storedText });

/** The arguments that name a part of a stored value. */
export const valueArgs = z.strictObject({
  place: z.discriminatedUnion("kind", [channelPlace, writePlace, metadataPlace, itemPlace, entryPlace]),
  path: z.array(position).max(10_000),
});

export const valuesCalls: ReadDefinitions<"value" | "text" | "searchValue"> = {
  value: {
    args: valueArgs.extend({ offset: position.optional(), limit: limitUpTo(MAX_LIMIT) }),
    run: async (run, { place, path, offset = 0, limit = DEFAULT_LIMIT }) => {
      const way = followPath(await readStoredValue(run, place), path);
      const value = way.at(-1);
      const room = new TextRoom();
      const children = somePartsOf(value, offset, limit).map((part) => {
        const child = describePart(part, way);
        return { ...child, value: room.cutNode(child.value) };
      });
      return { value: valueNodeOf(value), children };
    },
  },
  text: {
    args: valueArgs.extend({ offset: position }),
    run: async (run, { place, path, offset }) => {
      const value = followPath(await readStoredValue(run, place), path).at(-1);
      if (typeof value === "string") return partOfText(value, offset);
      if (typeof value === "bigint") return partOfText(bigintText(value), offset);
      throw new InvalidConfigError("args.path", "leads to a value that is no text");
    },
  },
  searchValue: {
    args: valueArgs.omit({ path: true }).extend({ search: z.string().min(1).max(1_000) }),
    run: async (run, { place, search }) => searchValue(await readStoredValue(run, place), search, run.signal),
  },
};

/** Returns the values on the way from a stored value to a part of it, both included. */
export function followPath(value: unknown, path: ValuePath): readonly unknown[] {
  const way = [value];
  for (const step of path) {
    const [part] = somePartsOf(way.at(-1), step, 1);
    if (part === undefined) throw new InvalidConfigError("args.path", "leads to no part of the value");
    way.push(part.value);
  }
  return way;
}

function partOfText(text: string, offset: number): TextPart {
  const end = endOfPart(text, offset, MAX_PART);
  return { text: text.slice(offset, end), ...(end < text.length && { next: end }) };
}
