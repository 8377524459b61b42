import { type RawBuilder, sql, type SqlBool } from "kysely";
import { textOf } from "../../serde/json/json-text.js";
import { constructorRecord } from "../../serde/json/records.js";

const FIRST_ARGUMENT = /* @__PURE__ */ sql.lit("{args,0}");

/**
 * Compares a held value with a number. JSON lacks some numbers, which are held as records of their digits: small BigInts and infinities.
 * Any other value is never true, NaN too.
 *
 * @param held - The value, as JSONB.
 * @param operator - One of SQL's.
 */
export function compareHeldNumber(
  held: RawBuilder<unknown>,
  operator: RawBuilder<unknown>,
  operand: RawBuilder<unknown>,
): RawBuilder<SqlBool> {
  const digits = sql`(${held} #>> ${FIRST_ARGUMENT})`;
  // Longer integers are held as numbers of JSON. Postgres repeats at most 255 times.
  const isNumber = sql`${isRecord(held, "BigInt", "Number")} and ${digits} ~ '^-?([0-9]{1,200}[0-9]{0,200}|Infinity)$'`;
  return sql<SqlBool>`(case jsonb_typeof(${held}) when 'number' then (${held})::numeric ${operator} ${operand}::numeric when 'object' then (case when ${isNumber} then ${digits}::numeric ${operator} ${operand}::numeric else false end) else false end)`;
}

/**
 * Compares a held value with a text, by code points. JSONB can't hold U+0000 and lone surrogates: texts with these are held as records of
 * UTF-16 code units, and compare by them.
 *
 * @param units - The code units of the text, as an array of integers.
 */
export function compareHeldText(
  held: RawBuilder<unknown>,
  operator: RawBuilder<unknown>,
  operand: RawBuilder<unknown>,
  units: RawBuilder<unknown>,
): RawBuilder<SqlBool> {
  const list = sql`(${held} #>> ${FIRST_ARGUMENT})`;
  const isText = sql`${isRecord(held, "String")} and ${list} ~ '^\\[([0-9]{1,5}(, )?)*\\]$'`;
  const heldUnits = sql`string_to_array(translate(${list}, '[] ', ''), ',')::int[]`;
  return sql<SqlBool>`(case jsonb_typeof(${held}) when 'string' then (${held} #>> '{}') collate "C" ${operator} ${operand}::text when 'object' then (case when ${isText} then ${heldUnits} ${operator} ${units}::int[] else false end) else false end)`;
}

/** Whether a held value is an object. A text or a number that JSON lacks is held as one, and is none. */
export function isHeldObject(held: RawBuilder<unknown>): RawBuilder<SqlBool> {
  const isScalar = sql`${isRecord(held, "BigInt", "Number", "String")}`;
  return sql<SqlBool>`(case jsonb_typeof(${held}) when 'object' then not ${isScalar} else false end)`;
}

/** The code units of a text, as Postgres reads an array of integers. */
export function unitsOf(text: string): string {
  return `{${Array.from({ length: text.length }, (_, at) => text.charCodeAt(at)).join()}}`;
}

/** Whether an object is a record of one of these names, whatever its arguments are. Data in the shape of one has a key more. */
function isRecord(held: RawBuilder<unknown>, ...names: readonly string[]): RawBuilder<SqlBool> {
  const records = names.map((name) => {
    const { args: _, ...others } = constructorRecord(name, []);
    return sql`${sql.lit(textOf(others))}::jsonb`;
  });
  return sql<SqlBool>`(${held} - 'args'::text) in (${sql.join(records)})`;
}
