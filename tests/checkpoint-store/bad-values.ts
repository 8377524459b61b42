import { LONG_KEY, throwingProxy } from "../saver/bad-input/bad-input.js";

/** Values by what is wrong with them. */
export type Bad = Readonly<Record<string, unknown>>;

export const KEYS: Bad = {
  missing: undefined,
  null: null,
  empty: "",
  "a number": 1,
  "a list": ["a"],
  "with U+0000": "a\0",
  "with a lone surrogate": "a\ud800",
  "longer than 2,000 bytes": LONG_KEY,
  "a Map": new Map([["a", "a"]]),
};
export const NODE_NAMES: Bad = {
  missing: undefined,
  null: null,
  "a number": 1,
  "with U+0000": "a\0",
  "with a lone surrogate": "\udc00",
};
export const METADATA: Bad = {
  "a text": "a",
  "a number": 1,
  "a list": [["execution_id", "a"]],
  "a Map": new Map([["execution_id", "a"]]),
  "a Date": new Date(0),
  "an object of a class": new URL("https://example.org"),
};
export const LISTED_IDS: Bad = {
  "with U+0000": "a\0",
  "with a lone surrogate": "\ud800",
  "longer than 2,000 bytes": LONG_KEY,
};
export const TIMES: Bad = {
  missing: undefined,
  null: null,
  "an invalid Date": new Date(Number.NaN),
  "a text": "2026-11-22T14:05:06Z",
  "a number": 0,
  "before the year 1": new Date("-000001-12-31T23:59:59.999Z"),
  "after the year 9999": new Date("+010000-01-01T00:00:00Z"),
  "an object that only has the prototype": Object.create(Date.prototype) as unknown,
  "a Proxy that throws": throwingProxy(),
};
export const VERSIONS: Bad = {
  missing: undefined,
  null: null,
  negative: -1,
  fractional: 1.5,
  NaN: Number.NaN,
  infinite: Infinity,
  "larger than 2^31 - 1": 2 ** 31,
  "a BigInt": 1n,
  "a text": "1",
};
export const COUNTS: Bad = {
  zero: 0,
  negative: -1,
  fractional: 1.5,
  NaN: Number.NaN,
  infinite: Infinity,
  "beyond 2^53": 2 ** 60,
  "a text": "1",
  "a BigInt": 1n,
};
export const ORDERS: Bad = { unknown: "newest", empty: "", "in capitals": "DESC", "a number": -1 };
export const SIGNALS: Bad = {
  "a text": "abort",
  "a controller": new AbortController(),
  "an object that looks alike": { aborted: false, addEventListener: () => undefined },
  "an object that only has the prototype": Object.create(AbortSignal.prototype) as unknown,
};
export const OPTIONS: Bad = {
  "a text": "all",
  "a number": 1,
  "a list": [1],
  "a Proxy that throws": throwingProxy(),
};
export const CHECKPOINTS: Bad = {
  missing: undefined,
  null: null,
  "a text": "a",
  "a list": [],
  "a Proxy that throws": throwingProxy(),
};
export const SCOPES: Bad = {
  missing: undefined,
  null: null,
  "a number": 1,
  "a list": ["a"],
  "a Proxy that throws": throwingProxy(),
};
