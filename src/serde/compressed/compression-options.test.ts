import { describe, expect, test } from "@jest/globals";
import { InvalidConfigError } from "../../errors/index.js";
import { CompressedSerializer } from "./compressed-serializer.js";

/** Calls the constructor with values that the types don't allow, as a caller in JavaScript may. */
function refusalOf(options: unknown): unknown {
  try {
    return Reflect.construct(CompressedSerializer, [undefined, options]);
  } catch (error) {
    return error;
  }
}

describe("the options of compression", () => {
  test.each<[string, unknown]>([
    ["algorithm", "lzma"],
    ["algorithm", "br"],
    ["algorithm", "toString"],
    ["thresholdBytes", -1],
    ["thresholdBytes", 1.5],
    ["thresholdBytes", Number.NaN],
    ["thresholdBytes", "10"],
    ["maxDecompressedBytes", 0],
    ["maxDecompressedBytes", 2 ** 32],
    ["maxDecompressedBytes", Infinity],
  ])("are refused with an invalid %s: %p", (field, value) => {
    const error = refusalOf({ [field]: value });
    expect(error).toBeInstanceOf(InvalidConfigError);
    expect(error).toMatchObject({ field });
  });

  test.each([null, 5, "zstd"])("are refused if they are not an object: %p", (options) => {
    expect(refusalOf(options)).toMatchObject({ code: "INVALID_CONFIG", field: "options" });
  });

  test.each([{}, { thresholdBytes: Infinity }, { thresholdBytes: 0, maxDecompressedBytes: 2 ** 32 - 1 }])(
    "are accepted: %p",
    (options) => {
      expect(refusalOf(options)).toBeInstanceOf(CompressedSerializer);
    },
  );
});
