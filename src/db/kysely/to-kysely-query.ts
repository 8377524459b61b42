import { CompiledQuery } from "kysely";
import { toText } from "../pool/to-query.js";
import { replacePlaceholders, type BoundStatement } from "../statements/statement.js";

/** A parameter as a Kysely gets it, and what the text has in its place. */
interface Sent {
  readonly value: unknown;
  /** Default: the placeholder. */
  readonly written?: (placeholder: string) => string;
}

/**
 * The query of a statement for a Kysely, whose driver is unknown. Drivers encode a parameter by the type that the server reports:
 * postgres.js would make JSON of the text of a JSON, and takes the type of an array from its first item. So JSON and arrays are sent
 * as texts, which the server casts.
 */
export function toKyselyQuery<Row>({ sql, parameters, types = [] }: BoundStatement<Row>): CompiledQuery<Row> {
  const sent = parameters.map((value, index) => toSent(value, types[index]));
  const text = replacePlaceholders(sql, (placeholder, index, type) => {
    const { written } = sent[index] ?? {};
    if (written !== undefined) return `${written(`$${index + 1}`)}::${type ?? types[index] ?? "text"}`;
    return placeholder;
  });
  return CompiledQuery.raw(
    text,
    sent.map(({ value }) => value),
  );
}

function toSent(value: unknown, type = ""): Sent {
  // postgres.js refuses `undefined`.
  if (value === undefined) return { value: null };
  if (Array.isArray(value)) return toSentArray(value);
  const isText = type.endsWith("[]") || type === "json" || type === "jsonb";
  return isText ? { value, written: castToText } : { value };
}

/** Without NULLs in the text, since the server reads them as texts with `array_nulls = off`. */
function toSentArray(items: readonly unknown[]): Sent {
  const texts = items.map(toItem);
  if (!texts.includes(null)) return { value: toArrayText(texts), written: castToText };
  let standIn = "null";
  while (texts.includes(standIn)) standIn += "_";
  return {
    value: toArrayText(texts.map((text) => text ?? standIn)),
    written: (placeholder) => `array_replace(${castToText(placeholder)}::text[], '${standIn}', null)`,
  };
}

function castToText(placeholder: string): string {
  return `${placeholder}::text`;
}

function toItem(item: unknown): string | null {
  if (item === null || item === undefined) return null;
  if (item instanceof Uint8Array) {
    return `\\x${Buffer.from(item.buffer, item.byteOffset, item.byteLength).toString("hex")}`;
  }
  return toText(item);
}

function toArrayText(texts: readonly (string | null)[]): string {
  return `{${texts.map((text) => `"${text?.replaceAll(/["\\]/g, String.raw`\$&`) ?? ""}"`).join()}}`;
}
