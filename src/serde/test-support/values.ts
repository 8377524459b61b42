import fc from "fast-check";

const SAFE = { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER };

/** Any string, also with U+0000 and lone surrogates. */
export const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string(),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 })
    .map((codes) => String.fromCharCode(...codes)),
);

/** Any key of an object, also keys with a special meaning. */
export const key = fc.oneof(
  { weight: 6, arbitrary: fc.string() },
  { weight: 2, arbitrary: text },
  fc.constantFrom(
    "__proto__",
    "constructor",
    "toJSON",
    "hasOwnProperty",
    "lg_name",
    "lc",
    "lc_serializable",
    "0",
    "-1",
    "",
  ),
);

const numbers = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.integer(SAFE),
  fc.constantFrom(
    -0,
    0,
    NaN,
    Infinity,
    -Infinity,
    2 ** 31,
    -(2 ** 31) - 1,
    2 ** 32,
    2 ** 53,
    -(2 ** 53),
    2 ** 63,
    2 ** 64,
    5e-324,
  ),
);

const bigints = fc.oneof(
  fc.bigInt(),
  fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }),
  fc.constantFrom(0n, -1n, 2n ** 53n, 2n ** 63n, -(2n ** 63n), 2n ** 64n - 1n, 2n ** 64n, -(2n ** 63n) - 1n),
);

const bytes = fc.uint8Array({ maxLength: 70 });

const dates = fc.oneof(
  fc.date({ noInvalidDate: false }),
  fc.constantFrom(
    new Date(-62_135_596_800_000),
    new Date(-62_135_596_800_001),
    new Date(253_402_300_799_999),
    new Date(253_402_300_800_000),
  ),
);

const regexps = fc
  .tuple(
    fc.constantFrom(
      "abc",
      "^a+[bc]?$",
      "\\d+",
      "(?:x|y)*",
      "(?<n>a)\\k<n>",
      "a/b",
      "[a-z]",
      "",
      "é",
      "a.b",
      "\\bfoo",
      "x{2,3}",
    ),
    fc.subarray(["d", "g", "i", "m", "s", "y"]),
    fc.nat(3),
  )
  .map(([source, flags, lastIndex]) => Object.assign(new RegExp(source, flags.join("")), { lastIndex }));

const binaries = fc.oneof(
  bytes,
  bytes.map((data) => Buffer.from(data)),
  bytes.map((data) => data.slice().buffer),
  bytes.map((data) => new DataView(data.slice().buffer)),
  bytes.map((data) => new Uint8ClampedArray(data)),
  fc.int8Array(),
  fc.int16Array(),
  fc.uint16Array(),
  fc.int32Array(),
  fc.uint32Array(),
  fc.float32Array(),
  fc.float64Array(),
  fc.bigInt64Array(),
  fc.bigUint64Array(),
);

/** A value without parts. */
export const leaf = fc.oneof(
  { weight: 3, arbitrary: text },
  { weight: 3, arbitrary: numbers },
  fc.boolean(),
  fc.constantFrom(null, undefined),
  bigints,
  dates,
  regexps,
  binaries,
  fc.webUrl().map((url) => new URL(url)),
);

/** An object, one of whose keys may be `__proto__`. */
export function objectsOf(part: fc.Arbitrary<unknown>): fc.Arbitrary<object> {
  return fc.array(fc.tuple(key, part), { maxLength: 6 }).map((entries) => {
    const object = {};
    for (const [name, value] of entries)
      Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
    return object;
  });
}

function holed(items: readonly unknown[], length: number): unknown[] {
  const array: unknown[] = [];
  items.forEach((item, index) => (array[index * 2] = item));
  array.length = Math.max(array.length, length);
  return array;
}

const errorClasses = [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError];

function errorOf(part: fc.Arbitrary<unknown>): fc.Arbitrary<Error> {
  return fc.oneof(
    fc
      .tuple(fc.constantFrom(...errorClasses), text, part)
      .map(([Class, message, cause]) => new Class(message, { cause })),
    fc
      .tuple(fc.array(part, { maxLength: 3 }), text)
      .map(([errors, message]) => new AggregateError(errors, message)),
    fc
      .tuple(text, part)
      .map(([message, code]) => Object.assign(new Error(message), { code, name: "Renamed" })),
  );
}

/** Any value that may be stored, except instances of the classes of LangChain and LangGraph. */
export const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { weight: 5, arbitrary: leaf },
    { weight: 3, arbitrary: objectsOf(tie("value")) },
    { weight: 3, arbitrary: fc.array(tie("value"), { maxLength: 6 }) },
    fc.array(fc.tuple(tie("value"), tie("value")), { maxLength: 4 }).map((entries) => new Map(entries)),
    fc.array(tie("value"), { maxLength: 4 }).map((members) => new Set(members)),
    fc
      .tuple(fc.array(tie("value"), { maxLength: 3 }), fc.nat(9))
      .map(([items, length]) => holed(items, length)),
    errorOf(tie("value")),
  ),
})).value;

/** The `arguments` object of a call with these values. */
export function argumentsObject(...values: readonly unknown[]): object {
  function call(): object {
    // oxlint-disable-next-line prefer-rest-params
    return arguments;
  }
  return Reflect.apply(call, undefined, values) as object;
}
