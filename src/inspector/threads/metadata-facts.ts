import { z } from "zod";
import { parseIfJson } from "../values/readable-json.js";

/** The most characters of a name or a text. Longer ones are no names of people or titles. */
const MAX_LENGTH = 200;
const MAX_FACTS = 50;

/** A text, a number or a boolean in the metadata of a thread. */
export type MetadataFact = string | number | boolean;

const fact = z.object({
  key: z.string().max(MAX_LENGTH),
  value: z.union([z.string().min(1).max(MAX_LENGTH), z.number(), z.boolean()]),
});
const facts = z.array(z.unknown()).catch([]);

/** Reads facts as a query returns them. A damaged row must not hide the others. */
export function factsIn(json: string | null): Readonly<Record<string, MetadataFact>> {
  return factsOf(facts.parse(parseIfJson(json ?? "")));
}

/** Takes the facts out of metadata as JSON text. */
export function factsOfMetadata(json: string | null): Readonly<Record<string, MetadataFact>> {
  const metadata = z
    .record(z.string(), z.unknown())
    .catch({})
    .parse(parseIfJson(json ?? ""));
  return factsOf(Object.entries(metadata).map(([key, value]) => ({ key, value })));
}

function factsOf(entries: readonly unknown[]): Readonly<Record<string, MetadataFact>> {
  const found = entries.flatMap((entry) => fact.safeParse(entry).data ?? []);
  return Object.fromEntries(found.slice(0, MAX_FACTS).map(({ key, value }) => [key, value]));
}
