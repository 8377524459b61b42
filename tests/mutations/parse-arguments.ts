import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";

export interface MutationArguments {
  readonly paths: readonly string[];
  /** How many mutations are tried. Default: all. */
  readonly sample: number | undefined;
  readonly seed: number;
  /** How many commits tell what has changed. Default: what has changed doesn't matter. */
  readonly changed: number | undefined;
  /** How many files with tests run for a folder. Default: all of the folder. */
  readonly tests: number | undefined;
  /** Whether the run of a mutation goes on after the first test that fails. */
  readonly everyTest: boolean;
}

export function parseMutationArguments(args: readonly string[]): MutationArguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      sample: { type: "string" },
      seed: { type: "string" },
      changed: { type: "string" },
      tests: { type: "string" },
      "every-test": { type: "boolean", default: false },
    },
  });
  return {
    paths: positionals,
    sample: numberOf(values.sample),
    seed: numberOf(values.seed) ?? randomInt(2 ** 31),
    changed: numberOf(values.changed),
    tests: numberOf(values.tests),
    everyTest: values["every-test"],
  };
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}
