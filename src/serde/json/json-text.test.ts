import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";

import { runs } from "../../../test-support/runs.js";
import { DeserializationError } from "../../errors/index.js";
import { firstDifference } from "../test-support/first-difference.js";
import { peakGrowth } from "../test-support/peak-growth.js";
import { parseJsonText } from "./json-text.js";

describe("an integer of JSON text", () => {
  it("keeps all its digits, as a BigInt if a number would lose some", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), (integer) => {
        expect(String(parseJsonText(String(integer)))).toBe(String(integer));
      }),
      runs(100),
    );
  });

  it.each<[string, unknown]>([
    ["9007199254740991", 9007199254740991],
    ["9007199254740992", 9007199254740992],
    ["9007199254740993", 9007199254740993n],
    ["-9223372036854775808", -9223372036854775808n],
    ["1e21", 1e21],
    ["12345678901234567.0", 12345678901234568],
    ["0.1234567890123456789", 0.12345678901234568],
  ])("%s", (text, value) => {
    expect(firstDifference(parseJsonText(`[${text}]`), [value])).toBeUndefined();
  });

  it("is read as a number if JavaScript wrote a number", () => {
    fc.assert(
      fc.property(fc.double({ min: -1e21, max: 1e21, noNaN: true }), (number) => {
        expect(parseJsonText(JSON.stringify(number))).toBe(number + 0);
      }),
      runs(100),
    );
  });

  it("of a JSONB column is read as a number if JSONB prints a number with these digits", () => {
    const large = fc.double({ min: 1e21, max: Number.MAX_VALUE, noNaN: true });
    fc.assert(
      fc.property(large, fc.boolean(), (size, isNegative) => {
        const number = isNegative ? -size : size;
        const [mantissa = "", exponent = ""] = String(number).split("e+");
        const [whole = "", fraction = ""] = mantissa.split(".");
        const digits = whole + fraction + "0".repeat(Number(exponent) - fraction.length);
        expect(parseJsonText(digits, "jsonb")).toBe(number);
        const another = `${digits.slice(0, -1)}1`;
        expect(parseJsonText(another, "jsonb")).toBe(BigInt(another));
      }),
      runs(100),
    );
  });

  it("is not recognized inside a string, whatever escapes the string has", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom('"', "\\", "9007199254740993"), fc.string())),
        (parts) => {
          const value = { [parts.join("")]: parts.join("") };
          const text = JSON.stringify([value, "end"]).replace(/\]$/, ",9007199254740993]");
          expect(firstDifference(parseJsonText(text), [value, "end", 9007199254740993n])).toBeUndefined();
        },
      ),
      runs(100),
    );
  });
});

describe("text that is not JSON", () => {
  it.each(["", "nul", "[1", "{'a':1}", "[01234567890123456789]", "NaN"])(
    "throws a DeserializationError: %j",
    (text) => {
      expect.assertions(2);
      try {
        parseJsonText(text);
      } catch (error) {
        expect(error).toBeInstanceOf(DeserializationError);
        expect(error).toHaveProperty("cause.name", "SyntaxError");
      }
    },
  );

  it.each([
    ["arrays", "[".repeat(100_000) + "]".repeat(100_000)],
    ["objects", '{"a":'.repeat(100_000) + "1" + "}".repeat(100_000)],
    ["with a large integer", "[".repeat(100_000) + "9007199254740993" + "]".repeat(100_000)],
    ["records", '{"lc":2,"type":"constructor","id":["Set"],"args":[['.repeat(20_000) + "]]}".repeat(20_000)],
    ["unclosed", "[".repeat(100_000)],
  ])("or is nested too deep throws a DeserializationError: %s", (_, text) => {
    expect(() => parseJsonText(text)).toThrow(DeserializationError);
  });
});

const token = fc.oneof(
  fc.constantFrom("{", "}", "[", "]", ",", ":", '"', "\\", "null", "-", "1e5", "12345678901234567890"),
  fc.constantFrom('"lc":1', '"lc":2', '"type":"constructor"', '"id":["Map"]', '"id":["Send"]', '"args":[[]]'),
  fc.string(),
);

async function valueOrError(text: string): Promise<void> {
  try {
    await parseJsonText(text);
  } catch (error) {
    expect(error).toBeInstanceOf(DeserializationError);
  }
}

it("parsing any text returns a value or throws a DeserializationError", async () => {
  const tokens = fc.array(token, { maxLength: 20 }).map((parts) => parts.join(""));
  await fc.assert(fc.asyncProperty(tokens, valueOrError), runs(2_000));
});

const name = fc.constantFrom(
  ...[
    "Array",
    "BigInt",
    "Buffer",
    "Command",
    "Date",
    "Error",
    "Float32Array",
    "Map",
    "Number",
    "Object",
    "Overwrite",
  ],
  ...[
    "RegExp",
    "Send",
    "Set",
    "String",
    "URL",
    "Uint8Array",
    "messages",
    "prompts",
    "AIMessage",
    "PromptTemplate",
  ],
  ...["langchain_core", "langgraph", "types", "builtins", "set", "uuid", "UUID"],
);

it("parsing any JSON in the shape of records returns a value or throws a DeserializationError", async () => {
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, 0, -1, 2 ** 31, "", "a", "AA=="),
      fc.array(tie("json")),
      tie("record"),
    ),
    record: fc.record(
      {
        lc: fc.constantFrom(1, 2),
        type: fc.constantFrom("constructor", "undefined", "delta_snapshot", "secret"),
        id: fc.oneof(
          fc.array(name, { maxLength: 3 }),
          fc.constant(["langchain_core", "messages", "AIMessage"]),
        ),
        args: tie("json"),
        kwargs: fc.oneof(
          tie("json"),
          fc.dictionary(
            fc.constantFrom(
              "content",
              "tool_calls",
              "additional_kwargs",
              "response_metadata",
              "properties",
              "argument",
            ),
            tie("json"),
          ),
        ),
        node: tie("json"),
        value: tie("json"),
        fields: tie("json"),
        absent: tie("json"),
        method: fc.constantFrom(null, "from"),
        lg_name: fc.constantFrom("Command", "Send"),
        __overwrite__: tie("json"),
        __lc_escaped__: tie("json"),
      },
      { requiredKeys: ["lc", "type", "id"] },
    ),
  }));
  await fc.assert(
    fc.asyncProperty(json, (value) => valueOrError(JSON.stringify(value))),
    runs(2_000),
  );
});

it("parsing a long string of brackets takes no memory for each bracket", async () => {
  const text = JSON.stringify("[".repeat(20_000_000));
  const { value, bytes } = await peakGrowth(() => parseJsonText(text));
  expect(bytes).toBeLessThan(100e6);
  expect(value).toHaveLength(20_000_000);
});
