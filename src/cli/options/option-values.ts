import { InvalidArgumentError, Option } from "commander";
import { mayHoldBigIntegers, quoteBigIntegers } from "../../serde/json/scalars.js";
import { isRecord } from "../../serde/objects/inspect-object.js";

const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h|d|w)$/;
const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** An option whose value is a whole number. */
export function countOption(
  flags: string,
  description: string,
  min = 0,
  max = Number.MAX_SAFE_INTEGER,
): Option {
  return new Option(flags, description).argParser((text) => parseCount(text, min, max));
}

/** An option whose value is a JSON object. */
export function jsonOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser(parseJsonObject);
}

/** An option whose value is a time, or an age such as `24h`. */
export function timeOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser(parseTime);
}

/** An option whose value is a share such as `1%` or `0.01`, parsed to a number from above 0 to 1. */
export function shareOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text) => {
    const [, number = "", percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? [];
    const share = Number(number) / (percent === "%" ? 100 : 1);
    if (share > 0 && share <= 1) return share;
    throw new InvalidArgumentError("Expected a share such as 1% or 0.01.");
  });
}

/** An option that may be repeated. */
export function repeatedOption(flags: string, description: string): Option {
  const add = (text: string, previous: readonly string[] | undefined) => [...(previous ?? []), text];
  return new Option(flags, `${description}; may be repeated`).argParser<readonly string[] | undefined>(add);
}

/** An option whose value is a duration such as `30d`, parsed to milliseconds. */
export function durationOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser(parseDuration);
}

/** An option whose value is how long something lives: a duration that is not zero. */
export function ttlOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text) => {
    const milliseconds = parseDuration(text);
    if (milliseconds > 0) return milliseconds;
    throw new InvalidArgumentError("Expected a duration longer than zero.");
  });
}

/** Parses a duration to milliseconds: `90s`, `45m`, `12h`, `30d`, `2w`. */
export function parseDuration(text: string): number {
  const [, count = "", unit = ""] = DURATION.exec(text) ?? [];
  const milliseconds = Number(count) * (UNIT_MS[unit] ?? Number.NaN);
  if (count !== "" && Number.isFinite(milliseconds)) return milliseconds;
  throw new InvalidArgumentError("Expected a duration such as 90s, 45m, 12h, 30d or 2w.");
}

/** Parses an ISO 8601 time, or an age such as `24h`. */
export function parseTime(text: string): Date {
  if (DURATION.test(text)) return new Date(Date.now() - parseDuration(text));
  const time = new Date(text);
  if (/^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(time.getTime())) return time;
  throw new InvalidArgumentError("Expected a time such as 2026-03-01T12:00:00Z, or an age such as 24h.");
}

/** Parses a JSON object. */
export function parseJsonObject(text: string): Record<string, unknown> {
  const value = parseJson(text);
  if (isRecord(value)) return value;
  throw new InvalidArgumentError('Expected a JSON object such as {"source": "loop"}.');
}

/** Parses `channel=JSON`, and adds it to the channels of earlier options. */
export function collectChannelValue(
  text: string,
  previous: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("Expected channel=JSON, such as plan='\"B\"'.");
  return { ...previous, [text.slice(0, at)]: parseJson(text.slice(at + 1)) };
}

function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new InvalidArgumentError("Expected JSON; a JSON string needs its own quotes, as in '\"B\"'.");
  }
  if (mayHoldBigIntegers(text) && quoteBigIntegers(text) !== text)
    throw new InvalidArgumentError("Expected integers up to 2^53; larger ones would lose digits.");
  return value;
}

function parseCount(text: string, min: number, max: number): number {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (count >= min && count <= max) return count;
  const least = min === 0 ? "" : `, at least ${min}`;
  throw new InvalidArgumentError(
    `Expected a whole number${least}${max === Number.MAX_SAFE_INTEGER ? "" : `, at most ${max}`}.`,
  );
}

const QUANTITY = /^(\d+(?:\.\d+)?)([kMB]?)$/;
const COUNT_UNITS: Readonly<Record<string, number>> = { "": 1, k: 1e3, M: 1e6, B: 1e9 };
const BYTES = /^(\d+(?:\.\d+)?)(B|kB|MB|GB|TB)?$/;
const BYTE_UNITS: Readonly<Record<string, number>> = { B: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };

/** An option whose value is a number such as `10M`. */
export function quantityOption(flags: string, description: string, min = 0): Option {
  return new Option(flags, description).argParser((text) => atLeast(min, parseQuantity(text)));
}

/** An option whose value is a number of bytes such as `2kB`. */
export function bytesOption(flags: string, description: string, min = 0): Option {
  return new Option(flags, description).argParser((text) => atLeast(min, parseBytes(text)));
}

/** Parses a number with a unit: `250`, `2.5k`, `10M`, `1B` (a billion). */
export function parseQuantity(text: string): number {
  return parse(text, QUANTITY, COUNT_UNITS, "Expected a number such as 250, 5k, 10M or 1B.");
}

/** Parses a number of bytes: `500`, `2kB`, `1.5MB`, `4TB`. */
export function parseBytes(text: string): number {
  return parse(text, BYTES, BYTE_UNITS, "Expected a number of bytes such as 500, 2kB, 1.5MB or 4TB.");
}

function parse(
  text: string,
  pattern: RegExp,
  units: Readonly<Record<string, number>>,
  expected: string,
): number {
  const [, count = "", unit] = pattern.exec(text) ?? [];
  const number = Number(count) * (unit === undefined ? 1 : (units[unit] ?? Number.NaN));
  // Parts of a byte or of a thread are what is left of a decimal fraction, such as 0.1kB.
  const whole = Math.round(number);
  if (count !== "" && Number.isSafeInteger(whole) && Math.abs(number - whole) < 1e-6) return whole;
  throw new InvalidArgumentError(expected);
}

function atLeast(min: number, number: number): number {
  if (number >= min) return number;
  throw new InvalidArgumentError(`Expected at least ${min}.`);
}
