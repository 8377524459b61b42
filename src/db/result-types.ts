import type { CustomTypesConfig } from "pg";

/** Reads a value from Postgres's text. */
export type ParseText = (text: string) => unknown;

/**
 * The types that this library's queries select, by OID. What `pg.types`, a pool or a PGlite makes of them is for the application, which may read
 * booleans or numbers as something else.
 */
export const PARSERS: Readonly<Record<number, ParseText>> = {
  // boolean
  16: (text) => text === "t",
  // "char", name, text and varchar
  18: asText,
  19: asText,
  25: asText,
  1043: asText,
  // int2, int4, oid, float4 and float8
  21: Number,
  23: Number,
  26: Number,
  700: Number,
  701: Number,
  // void
  2278: asText,
};

/** Returns how a statement of this library reads a column. */
export function parserOf(oid: number): ParseText {
  return PARSERS[oid] ?? asText;
}

/**
 * The parsers for queries of `pg`: those of this library for what it selects itself, and for everything else those of the client, since
 * the application may send queries through our Kysely, too.
 */
export function resultTypes(client?: CustomTypesConfig): CustomTypesConfig {
  return {
    getTypeParser: (oid, format): unknown =>
      (format === "binary" ? undefined : PARSERS[oid]) ?? client?.getTypeParser(oid, format) ?? asText,
  };
}

function asText(text: string): string {
  return text;
}
