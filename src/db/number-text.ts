import { type RawBuilder, sql } from "kysely";

/**
 * A number as text, which `Number` reads: the text of a float depends on `extra_float_digits`, which a role or a database may set, and a
 * larger integer on the parsers of the application.
 */
export function numberText<T extends string | null = string>(number: RawBuilder<unknown>): RawBuilder<T> {
  return sql<T>`(${number})::numeric::text`;
}

/** A time in milliseconds since 1970, with its microseconds, as {@link numberText} has it. */
export function timeText<T extends string | null = string>(time: RawBuilder<unknown>): RawBuilder<T> {
  return epochText<T>(time, 1_000);
}

/** A time in seconds since 1970, with its microseconds, or a length of time in seconds, as {@link numberText} has it. */
export function secondsText<T extends string | null = string>(time: RawBuilder<unknown>): RawBuilder<T> {
  return epochText<T>(time, 1);
}

function epochText<T extends string | null>(
  time: RawBuilder<unknown>,
  unitsPerSecond: number,
): RawBuilder<T> {
  return sql<T>`(extract(epoch from ${time}) * ${sql.lit(unitsPerSecond)})::text`;
}
