import { isReadAsBigInt } from "../../serde/json/big-integers.js";

/** The record of a number in the JSON text of `encodeJsonb`. Strings can't contain it, because their quotes are escaped. */
const NUMBER_RECORD =
  /\{"lc":2,"type":"constructor","id":\["(BigInt|Number)"\],"method":null,"args":\["(-?\d[^"]*)"\],"kwargs":\{\}\}/g;

/**
 * Writes as numbers those that `encodeJsonb` writes as records although a reader of JSONB recognizes them: integers that no double can hold,
 * and doubles from 1e21 on. So a program of Go gets the 64-bit integers back that it stored.
 *
 * @example
 * ```ts
 * withPlainNumbers('{"lc":2,"type":"constructor","id":["BigInt"],"method":null,"args":["9007199254740993"],"kwargs":{}}'); // 9007199254740993
 * ```
 */
export function withPlainNumbers(text: string): string {
  return text.replace(NUMBER_RECORD, (record, kind: string, number: string) => {
    const isRecognized = kind === "BigInt" ? isReadAsBigInt(number, "jsonb") : number.includes("e");
    return isRecognized ? number : record;
  });
}
