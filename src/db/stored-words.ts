import { type RawBuilder, sql } from "kysely";

/** How many bytes at the end of a value have their words in the index. It bounds what a `put` costs, and the tsvector, which Postgres refuses from 1 MB on. */
const INDEXED_BYTES = 16_384;

/** Whether the texts of a value are in its bytes as they are, neither compressed nor encrypted. The index has no other values. */
export const isReadable = sql<boolean>`type in ('msgpack', 'json', 'msgpack-splice', 'json-splice')`;

/**
 * The words of a stored value for a search. An index serves a search only where both have the same expression. It takes any bytes, since
 * an error would fail the `put`: bytes that are no ASCII are octal numbers in the text that Postgres makes of them.
 *
 * A word is a run of letters and digits of ASCII, or of characters of two bytes (such as Cyrillic). Each character of three and more bytes
 * (such as Chinese) is a word. {@link wordsOf} finds the same words in a text.
 *
 * @param value - The column of the bytes.
 */
export function storedWords(value: RawBuilder<unknown>): RawBuilder<unknown> {
  const end = sql`substring(${value} from greatest(octet_length(${value}) - ${sql.lit(INDEXED_BYTES - 1)}, 1))`;
  const runs = sql`regexp_replace(encode(${end}, 'escape'), ${sql.lit(RUNS)}, ${sql.lit(String.raw`\2 \1 `)}, 'g')`;
  const apart = ["\\34", "\\35", "\\36"].reduce(
    (text, lead) => sql`replace(${text}, ${sql.lit(lead)}, ${sql.lit(` ${lead}`)})`,
    runs,
  );
  // A backslash has no character to become, so it goes.
  return sql`to_tsvector('simple'::regconfig, translate(${apart}, ${sql.lit(`${PUNCTUATION}\\`)}, ${sql.lit(" ".repeat(PUNCTUATION.length))}))`;
}

/** The words of JSON, such as the values in a header. */
export function jsonWords(json: RawBuilder<unknown>): RawBuilder<unknown> {
  return storedWords(
    sql`replace(right((${json})::text, ${sql.lit(INDEXED_BYTES)}), ${sql.lit("\\")}, ${sql.lit("\\\\")})::bytea`,
  );
}

const PUNCTUATION = ".,;:!?\"'()[]{}<>/-_@#$%^&*+=~|`";

/** A byte that continues a character. */
const NEXT = String.raw`\\2[0-7]{2}`;
/** A byte that continues none. */
const OTHER = String.raw`(?:\\[013][0-7]{2}|\\\\|[^\\])`;

/** Finds what is no plain text: runs to keep in the first group, and what separates words. */
const RUNS = [
  // Characters of two bytes. The letters of Arabic are apart, since the headers of MessagePack's strings have the same bytes.
  String.raw`((?:\\33[0-3]${NEXT})+`,
  String.raw`(?:\\3(?:0[013-7]|[12][0-7]|3[4-7])${NEXT})+`,
  String.raw`(?:\\3[4-7][0-7](?:${NEXT}){2,3})+)`,
  // The header of a string, whose length may look like a letter: after a letter of ASCII, which is the end of a field's name, or before a
  // byte that continues no character.
  String.raw`([a-zA-Z])\\331${NEXT}`,
  String.raw`\\331${OTHER}`,
  String.raw`\\332${OTHER}(?:${NEXT}|${OTHER})`,
  String.raw`\\[0-7]{3}`,
  // What JSON escapes.
  String.raw`\\\\(?:u[0-9a-f]{4}|.)`,
].join("|");

/** The words of a text as {@link storedWords} finds them. Each is a list of the forms that it may have, since only ASCII is in lower case. */
export function wordsOf(text: string): readonly (readonly string[])[] {
  const runs =
    text
      .replaceAll(/\\.|(?<=[a-zA-Z])[\u0640-\u067f]/gsu, " ")
      .match(/[a-zA-Z0-9]+|[\u0600-\u06ff]+|[\u00c0-\u05ff\u0700-\u07ff]+|[\u0800-\u{10ffff}]/gu) ?? [];
  return runs.map((run) => {
    if (/^[a-zA-Z0-9]/.test(run)) return [run.toLowerCase()];
    const title = run.replace(/^./u, (first) => first.toUpperCase());
    return [...new Set([run, run.toLowerCase(), run.toUpperCase(), title].map(octal))];
  });
}

function octal(text: string): string {
  return [...Buffer.from(text)].map((byte) => byte.toString(8)).join("");
}
