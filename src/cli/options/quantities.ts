import { InvalidArgumentError, Option } from "commander";

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
