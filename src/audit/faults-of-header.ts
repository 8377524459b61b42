import { z } from "zod";
import type { CheckpointHeader } from "../saver/codec/parse-header.js";

/** The formats of a checkpoint that LangGraph has written so far, in either language. */
export const CHECKPOINT_FORMATS = { first: 1, last: 4 };

/** Whether a number is one of the {@link CHECKPOINT_FORMATS}. */
export function isFormat(v: number): boolean {
  return Number.isInteger(v) && v >= CHECKPOINT_FORMATS.first && v <= CHECKPOINT_FORMATS.last;
}

const time = z.iso.datetime({ offset: true, local: true });

/** Whether a text is a time as LangGraph writes it, in either language. */
export function isTime(text: unknown): boolean {
  return time.safeParse(text).success;
}

const NO_PARENTS = "is no object of texts";

/** What LangGraph and this library write. Each key may be absent. */
const metadataShape = z.looseObject({
  source: z.string("is no text").optional(),
  step: z.int("is no whole number").optional(),
  parents: z.record(z.string(), z.string(NO_PARENTS), NO_PARENTS).optional(),
});

/**
 * What no saver stores in a header or its metadata, although reads take it. Reads are more tolerant than this check, so that a fault in
 * one field does not cost the values.
 *
 * @returns Why the row is no valid checkpoint. Empty where it is one.
 */
export function faultsOfHeader(checkpointId: string, header: CheckpointHeader, metadata: object): string[] {
  const { id, v, ts } = header;
  // Every writer stores both, also those of the first format.
  const absent = (["channel_versions", "versions_seen"] as const).filter(
    (key) => (header[key] ?? null) === null,
  );
  return [
    ...(checkpointId === "" ? ['the column "checkpoint_id" is empty'] : []),
    ...(id === checkpointId ? [] : [`the header has the id "${id}"`]),
    ...(isFormat(v)
      ? []
      : [
          `the header has the format ${v}, and ${CHECKPOINT_FORMATS.first} to ${CHECKPOINT_FORMATS.last} are known`,
        ]),
    ...(isTime(ts) ? [] : [`"ts" of the header is no time: "${ts}"`]),
    ...absent.map((key) => `the header lacks "${key}"`),
    ...(metadataShape.safeParse(metadata).error?.issues ?? []).map(
      ({ path, message }) => `"${String(path[0])}" of the metadata ${message}`,
    ),
  ];
}
